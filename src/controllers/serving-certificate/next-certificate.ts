import {
  type Certificate,
  inspect,
  isGenuine,
  makeAuthority,
  makeServerCertificate,
  splitBundle,
  type Validity,
} from '../../runtime/certificates/certificate.ts';

const DAY = 86_400_000;
/** How long authorities and certificates count. A third before the end the next one is made. */
const LIFE = { authority: 365 * DAY, server: 90 * DAY } as const;
/** Clocks of other machines may be behind. */
const BACKDATED = DAY;

/** What the Secret holds, as texts; '' for what it lacks. */
export interface KeptCertificates {
  /** PEM, the authority that signs now first; behind it those that have signed what may still be in use. */
  readonly authorities: string;
  /** PEM of the key of the first authority. */
  readonly authorityKey: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * What has to be done next.
 * - `store` the Secret becomes this
 * - `publish` the APIService has to trust these authorities, before something that the new one signed is shown
 * - `wait` nothing before that time (ms since 1970)
 */
export type CertificateStep =
  | { readonly kind: 'store'; readonly kept: KeptCertificates }
  | { readonly kind: 'publish'; readonly authorities: string }
  | { readonly kind: 'wait'; readonly until: number };

export interface CertificateSituation {
  /** Undefined: there is no Secret. */
  readonly kept: KeptCertificates | undefined;
  /** PEM, what the APIService trusts; undefined: there is no APIService to look after. */
  readonly trusted: string | undefined;
  /** DNS names that clients know the server by. */
  readonly names: readonly [string, ...string[]];
  readonly now: number;
}

function renewalOf({ from, to }: Validity): number {
  return to - (to - from) / 3;
}

function lifeFrom(now: number, life: number): Validity {
  return { from: now - BACKDATED, to: now + life };
}

/**
 * The next step towards a certificate that everybody trusts. An authority that comes to its end is followed by a new one, which
 * signs only when the APIService trusts both; the old one is forgotten when it has ended.
 */
export function nextCertificateStep({ kept, trusted, names, now }: CertificateSituation): CertificateStep {
  const authorities = splitBundle(kept?.authorities ?? '').filter((one) => (inspect(one)?.to ?? 0) > now);
  const [current] = authorities;
  if (kept === undefined || current === undefined || !signs(current, kept.authorityKey)) return begin(names, now);
  const known = inspect(current);
  if (known === undefined || renewalOf(known) <= now) return succeed(kept, authorities, now);
  const bundle = authorities.join('');
  if (trusted !== undefined && trusted !== bundle) return { kind: 'publish', authorities: bundle };
  const serving = servingValidity(kept, current, names);
  if (serving === undefined || renewalOf(serving) <= now) {
    const signer: Certificate = { certificate: current, key: kept.authorityKey };
    const { certificate, key } = makeServerCertificate(signer, names, lifeFrom(now, LIFE.server));
    return { kind: 'store', kept: { ...kept, authorities: bundle, certificate, key } };
  }
  const ends = authorities.slice(1).map((one) => inspect(one)?.to ?? now);
  return { kind: 'wait', until: Math.min(renewalOf(known), renewalOf(serving), ...ends) };
}

/** Everything new. Nobody has trusted anything before, so the certificate comes with its authority. */
function begin(names: CertificateSituation['names'], now: number): CertificateStep {
  const authority = makeAuthority('convoy aggregated API', lifeFrom(now, LIFE.authority));
  const { certificate, key } = makeServerCertificate(authority, names, lifeFrom(now, LIFE.server));
  const kept = { authorities: authority.certificate, authorityKey: authority.key, certificate, key };
  return { kind: 'store', kept };
}

/** A new authority before the old one; what the old one signed stays in use until the new one is trusted. */
function succeed(kept: KeptCertificates, authorities: readonly string[], now: number): CertificateStep {
  const authority = makeAuthority('convoy aggregated API', lifeFrom(now, LIFE.authority));
  const bundle = [authority.certificate, ...authorities].join('');
  return { kind: 'store', kept: { ...kept, authorities: bundle, authorityKey: authority.key } };
}

function signs(authority: string, key: string): boolean {
  return isGenuine({ certificate: authority, key }, authority);
}

/** Undefined: the certificate is of another authority, for other names, or none at all. */
function servingValidity(
  { certificate, key }: KeptCertificates,
  authority: string,
  names: readonly string[],
): Validity | undefined {
  const known = inspect(certificate);
  const fits = known !== undefined && names.every((name) => known.names.includes(name));
  return fits && isGenuine({ certificate, key }, authority) ? known : undefined;
}
