import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { bits, bool, der, integer, octets, oid, sequence, set, text, time } from './der.ts';

export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

/** A certificate that signs others. */
export interface Authority extends Certificate {
  readonly commonName: string;
}

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const CLIENT_AUTHENTICATION = oid('1.3.6.1.5.5.7.3.2');
const DAY = 86_400_000;
/** digitalSignature, and with keyCertSign. */
const SIGNS = der(0x03, Buffer.from([7, 0x80]));
const SIGNS_CERTIFICATES = der(0x03, Buffer.from([2, 0x84]));

function name(commonName: string): Buffer {
  return sequence(set(sequence(oid('2.5.4.3'), text(commonName))));
}

const authority = (): Buffer[] => [
  sequence(oid('2.5.29.19'), bool(true), octets(sequence(bool(true)))),
  sequence(oid('2.5.29.15'), bool(true), octets(SIGNS_CERTIFICATES)),
];

function loopbackNames(): Buffer {
  const dns = der(0x82, Buffer.from('localhost'));
  const addresses = [Buffer.from([127, 0, 0, 1]), Buffer.concat([Buffer.alloc(15), Buffer.from([1])])];
  return sequence(oid('2.5.29.17'), octets(sequence(dns, ...addresses.map((address) => der(0x87, address)))));
}

interface Request {
  readonly commonName: string;
  /** ms since 1970; valid from a day before for a year. */
  readonly now: number;
  readonly extensions: readonly Buffer[];
  /** Undefined: it signs itself. */
  readonly issuer?: Authority;
}

/** An X.509 certificate (RFC 5280, ECDSA P-256). Made here because Node can use certificates but not make them. */
function issue({ commonName, now, extensions, issuer }: Request): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 1;
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_WITH_SHA256,
    name(issuer?.commonName ?? commonName),
    sequence(time(now - DAY), time(now + 365 * DAY)),
    name(commonName),
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

/**
 * A self-signed certificate for localhost, 127.0.0.1 and ::1. It is its own authority: clients get it as
 * `certificate-authority-data`, since clients of Kubernetes send no token over plain HTTP.
 */
export function loopbackCertificate(now: number): Certificate {
  return issue({ commonName: 'convoy sandbox', now, extensions: [...authority(), loopbackNames()] });
}

export function certificateAuthority(commonName: string, now: number): Authority {
  return { commonName, ...issue({ commonName, now, extensions: authority() }) };
}

/** A certificate that a client shows. */
export function clientCertificate(commonName: string, issuer: Authority, now: number): Certificate {
  const extensions = [
    sequence(oid('2.5.29.15'), bool(true), octets(SIGNS)),
    sequence(oid('2.5.29.37'), octets(sequence(CLIENT_AUTHENTICATION))),
  ];
  return issue({ commonName, now, extensions, issuer });
}
