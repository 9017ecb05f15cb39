import { createHash, randomBytes, X509Certificate, type webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';
import { Clock } from '../../state/clock.ts';

/** A certificate and its key, as PEM. */
export interface Identity {
  certificate: string;
  key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
const DAY = 86_400_000;
const YEARS_OF_AUTHORITY = 10;
/** The longest validity that some clients accept for a server certificate. */
const DAYS_OF_SERVER = 397;
const COMMON_NAME = '2.5.4.3';
/** The usage of a key (RFC 5280 4.2.1.3). */
const SIGNS_CERTIFICATES = new asn1.BitString({ valueHex: Uint8Array.of(0b0000_0110).buffer, unusedBits: 1 });
const SIGNS_DATA = new asn1.BitString({ valueHex: Uint8Array.of(0b1000_0000).buffer, unusedBits: 7 });
/** Kinds of names (RFC 5280 4.2.1.6). */
const [OF_HOST, OF_ADDRESS] = [2, 7] as const;

/** Creates a local certificate authority. It signs only the certificates of `issueServer`. */
export async function issueAuthority(): Promise<Identity> {
  const keys = await generateKeys();
  const certificate = certificateFor('Understudy local CA', 365 * YEARS_OF_AUTHORITY);
  certificate.issuer = certificate.subject;
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  certificate.extensions = [
    critical(pki.id_BasicConstraints, new pki.BasicConstraints({ cA: true, pathLenConstraint: 0 })),
    critical(pki.id_KeyUsage, SIGNS_CERTIFICATES),
    extension(pki.id_SubjectKeyIdentifier, new asn1.OctetString({ valueHex: keyIdentifier(certificate) })),
  ];
  await certificate.sign(keys.privateKey, 'SHA-256');
  return identityOf(certificate, keys);
}

/** Creates a server certificate for these names and addresses. */
export async function issueServer(authority: Identity, hosts: readonly string[]): Promise<Identity> {
  const keys = await generateKeys();
  const issuer = pki.Certificate.fromBER(bytesIn(authority.certificate));
  const certificate = certificateFor(hosts[0] ?? 'localhost', DAYS_OF_SERVER);
  certificate.issuer = issuer.subject;
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  const keyOfIssuer = new asn1.OctetString({ valueHex: keyIdentifier(issuer) });
  certificate.extensions = [
    critical(pki.id_BasicConstraints, new pki.BasicConstraints({ cA: false })),
    critical(pki.id_KeyUsage, SIGNS_DATA),
    extension(pki.id_ExtKeyUsage, new pki.ExtKeyUsage({ keyPurposes: ['1.3.6.1.5.5.7.3.1'] })), // a TLS server
    extension(pki.id_SubjectAltName, new pki.GeneralNames({ names: hosts.map(alternativeName) })),
    // Python 3.13 and later refuse a certificate without it.
    extension(pki.id_AuthorityKeyIdentifier, new pki.AuthorityKeyIdentifier({ keyIdentifier: keyOfIssuer })),
  ];
  await certificate.sign(await readKey(authority.key), 'SHA-256');
  return identityOf(certificate, keys);
}

/** Whether the certificate covers all these hosts and stays valid for at least a day. */
export function isGood({ certificate }: Identity, hosts: readonly string[]): boolean {
  const read = new X509Certificate(certificate);
  const names = new Set(read.subjectAltName?.split(', '));
  const isNamed = (host: string) =>
    isIP(host) ? read.checkIP(host) !== undefined : names.has(`DNS:${host}`);
  return Date.parse(read.validTo) > new Clock().now() + DAY && hosts.every(isNamed);
}

/** Certificates are valid from yesterday, because clocks differ. They use the machine's time, not an environment's. */
function certificateFor(name: string, days: number): pki.Certificate {
  const now = new Clock().now();
  const certificate = new pki.Certificate();
  certificate.version = 2; // X.509 v3
  certificate.serialNumber = new asn1.Integer({ valueHex: positiveNumber() });
  const value = new asn1.Utf8String({ value: name });
  certificate.subject.typesAndValues.push(new pki.AttributeTypeAndValue({ type: COMMON_NAME, value }));
  certificate.notBefore.value = new Date(now - DAY);
  certificate.notAfter.value = new Date(now + (days - 1) * DAY);
  return certificate;
}

interface Encodable {
  toSchema(): asn1.BaseBlock;
}

const critical = (id: string, value: Encodable | asn1.BaseBlock) => extension(id, value, true);

function extension(extnID: string, value: Encodable | asn1.BaseBlock, isCritical = false): pki.Extension {
  const block = value instanceof asn1.BaseBlock ? value : value.toSchema();
  return new pki.Extension({ extnID, critical: isCritical, extnValue: block.toBER() });
}

/** The SHA-1 of the public key (RFC 5280 4.2.1.2). */
const keyIdentifier = ({ subjectPublicKeyInfo: { subjectPublicKey } }: pki.Certificate) =>
  bufferOf(createHash('sha1').update(subjectPublicKey.valueBlock.valueHexView).digest());

/** A random serial number of 16 bytes. Its first bit is 0, because that bit is the sign, and serial numbers are positive. */
function positiveNumber(): ArrayBuffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bufferOf(bytes);
}

const alternativeName = (host: string) =>
  isIP(host)
    ? new pki.GeneralName({
        type: OF_ADDRESS,
        value: new asn1.OctetString({ valueHex: bufferOf(addressBytes(host)) }),
      })
    : new pki.GeneralName({ type: OF_HOST, value: host });

function addressBytes(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from(host.split('.').map(Number));
  const bytes = Buffer.alloc(16);
  for (const [index, group] of groupsOf(host).entries()) bytes.writeUInt16BE(group, 2 * index);
  return bytes;
}

/** The eight 16-bit numbers of an IPv6 address. */
function groupsOf(host: string): number[] {
  const short = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [first, last = []] = short.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - first!.length - last.length).fill('0');
  return [...first!, ...zeros, ...last].map((group) => Number.parseInt(group, 16));
}

const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

const bytesIn = (pem: string): ArrayBuffer =>
  bufferOf(Buffer.from(pem.replaceAll(/-----[^-]+-----/g, ''), 'base64'));

const pemOf = (label: string, bytes: ArrayBuffer): string => {
  const lines = Buffer.from(bytes)
    .toString('base64')
    .match(/.{1,64}/g)!;
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
};

const generateKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

async function identityOf(
  certificate: pki.Certificate,
  { privateKey }: webcrypto.CryptoKeyPair,
): Promise<Identity> {
  return {
    certificate: pemOf('CERTIFICATE', certificate.toSchema(true).toBER()),
    key: pemOf('PRIVATE KEY', await crypto.subtle.exportKey('pkcs8', privateKey)),
  };
}

const readKey = (pem: string) => crypto.subtle.importKey('pkcs8', bytesIn(pem), ALGORITHM, false, ['sign']);
