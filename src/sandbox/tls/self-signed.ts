import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { bits, bool, der, integer, octets, oid, sequence, set, text, time } from './der.ts';

export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const DAY = 86_400_000;

function name(commonName: string): Buffer {
  return sequence(set(sequence(oid('2.5.4.3'), text(commonName))));
}

/** basicConstraints CA, keyUsage digitalSignature + keyCertSign, and the loopback names. */
function extensions(): Buffer {
  const dns = der(0x82, Buffer.from('localhost'));
  const addresses = [Buffer.from([127, 0, 0, 1]), Buffer.concat([Buffer.alloc(15), Buffer.from([1])])];
  const names = sequence(dns, ...addresses.map((address) => der(0x87, address)));
  return der(
    0xa3,
    sequence(
      sequence(oid('2.5.29.19'), bool(true), octets(sequence(bool(true)))),
      sequence(oid('2.5.29.15'), bool(true), octets(der(0x03, Buffer.from([2, 0x84])))),
      sequence(oid('2.5.29.17'), octets(names)),
    ),
  );
}

/**
 * A self-signed certificate (RFC 5280, ECDSA P-256) for localhost, 127.0.0.1 and ::1, valid from a day before `now` (ms) for a
 * year. It is its own authority: clients get it as `certificate-authority-data`. Made here because Node can use certificates but
 * not make them, and clients of Kubernetes send no token over plain HTTP.
 */
export function selfSignedCertificate(now: number): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = name('convoy sandbox');
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 1;
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_WITH_SHA256,
    subject,
    sequence(time(now - DAY), time(now + 365 * DAY)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions(),
  );
  const certificate = sequence(body, ECDSA_WITH_SHA256, bits(sign('sha256', body, privateKey)));
  const lines = certificate
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')
    .trimEnd();
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
