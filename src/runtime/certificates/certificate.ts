import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { bits, bool, der, integer, octets, oid, sequence, set, text, time } from './der.ts';

/** A certificate with its key. */
export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

/** From when to when a certificate counts, in ms since 1970. */
export interface Validity {
  readonly from: number;
  readonly to: number;
}

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const SERVER_AUTHENTICATION = oid('1.3.6.1.5.5.7.3.1');
const CLIENT_AUTHENTICATION = oid('1.3.6.1.5.5.7.3.2');
const BASIC_CONSTRAINTS = oid('2.5.29.19');
const KEY_USAGE = oid('2.5.29.15');
const ALTERNATIVE_NAMES = oid('2.5.29.17');
const EXTENDED_KEY_USAGE = oid('2.5.29.37');
/** keyUsage digitalSignature, and with keyCertSign. */
const SIGNS = der(0x03, Buffer.from([7, 0x80]));
const SIGNS_CERTIFICATES = der(0x03, Buffer.from([2, 0x84]));

function nameOf(commonName: string): Buffer {
  return sequence(set(sequence(oid('2.5.4.3'), text(commonName))));
}

interface Request {
  readonly commonName: string;
  readonly validity: Validity;
  readonly extensions: readonly Buffer[];
  /** Undefined: it signs itself. */
  readonly issuer?: Certificate;
}

/** An X.509 certificate (RFC 5280, ECDSA P-256). Made here because Node can use certificates but not make them. */
function issue({ commonName, validity, extensions, issuer }: Request): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 1;
  const issuerName = issuer === undefined ? commonName : commonNameOf(issuer.certificate);
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_WITH_SHA256,
    nameOf(issuerName),
    sequence(time(validity.from), time(validity.to)),
    nameOf(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, issuer?.key ?? privateKey);
  const lines = sequence(body, ECDSA_WITH_SHA256, bits(signature))
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')
    .trimEnd();
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function commonNameOf(certificate: string): string {
  return /^CN=(.*)$/m.exec(new X509Certificate(certificate).subject)?.[1] ?? '';
}

/** A certificate that signs others. With `loopback` it is also one that a server on this machine shows: localhost, 127.0.0.1 and ::1. */
export function makeAuthority(commonName: string, validity: Validity, loopback = false): Certificate {
  const extensions = [
    sequence(BASIC_CONSTRAINTS, bool(true), octets(sequence(bool(true)))),
    sequence(KEY_USAGE, bool(true), octets(SIGNS_CERTIFICATES)),
    ...(loopback ? [alternativeNames([dnsName('localhost'), ...LOOPBACK.map((address) => der(0x87, address))])] : []),
  ];
  return issue({ commonName, validity, extensions });
}

const LOOPBACK = [Buffer.from([127, 0, 0, 1]), Buffer.concat([Buffer.alloc(15), Buffer.from([1])])];

function dnsName(name: string): Buffer {
  return der(0x82, Buffer.from(name));
}

function alternativeNames(names: readonly Buffer[]): Buffer {
  return sequence(ALTERNATIVE_NAMES, octets(sequence(...names)));
}

/** A certificate that a server shows; the first name is its common name. */
export function makeServerCertificate(
  issuer: Certificate,
  names: readonly [string, ...string[]],
  validity: Validity,
): Certificate {
  const extensions = [
    sequence(KEY_USAGE, bool(true), octets(SIGNS)),
    sequence(EXTENDED_KEY_USAGE, octets(sequence(SERVER_AUTHENTICATION))),
    alternativeNames(names.map(dnsName)),
  ];
  // A common name has 64 characters at most (X.520); clients read the alternative names.
  return issue({ commonName: names[0].slice(0, 64), validity, extensions, issuer });
}

/** A certificate that a client shows. */
export function makeClientCertificate(issuer: Certificate, commonName: string, validity: Validity): Certificate {
  const extensions = [
    sequence(KEY_USAGE, bool(true), octets(SIGNS)),
    sequence(EXTENDED_KEY_USAGE, octets(sequence(CLIENT_AUTHENTICATION))),
  ];
  return issue({ commonName, validity, extensions, issuer });
}

/** The certificates of a PEM bundle, in their order. What is none is left out. */
export function splitBundle(bundle: string): readonly string[] {
  return (bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((pem) => `${pem}\n`);
}

/** What can be told of a certificate; undefined when it is none. */
export function inspect(pem: string): (Validity & { readonly names: readonly string[] }) | undefined {
  try {
    const { validFrom, validTo, subjectAltName = '' } = new X509Certificate(pem);
    const names = subjectAltName.split(', ').flatMap((one) => (one.startsWith('DNS:') ? [one.slice(4)] : []));
    return { from: Date.parse(validFrom), to: Date.parse(validTo), names };
  } catch {
    return undefined;
  }
}

/** Whether a certificate was signed by an authority, and its key is this one. */
export function isGenuine({ certificate, key }: Certificate, authority: string): boolean {
  try {
    const parsed = new X509Certificate(certificate);
    return parsed.verify(new X509Certificate(authority).publicKey) && parsed.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
