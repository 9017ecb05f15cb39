import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { Clock } from '../../environment/clock.ts';

/** A certificate and its key, as PEM. */
export interface Identity {
  certificate: string;
  key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;
const YEARS_OF_AUTHORITY = 10;
/** The longest validity that some clients accept for a server certificate. */
const DAYS_OF_SERVER = 397;

/** Creates a local certificate authority. It signs only the certificates of `issueServer`. */
export async function issueAuthority(): Promise<Identity> {
  const keys = await generateKeys();
  const name = 'CN=Understudy local CA';
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    ...validity(365 * YEARS_OF_AUTHORITY),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return identityOf(certificate, keys);
}

/** Creates a server certificate for these names and addresses. */
export async function issueServer(authority: Identity, hosts: readonly string[]): Promise<Identity> {
  const keys = await generateKeys();
  const issuer = new X509Certificate(authority.certificate);
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${hosts[0] ?? 'localhost'}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await readKey(authority.key),
    ...validity(DAYS_OF_SERVER),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(hosts.map(alternativeName)),
    ],
  });
  return identityOf(certificate, keys);
}

/** Whether the certificate covers all these hosts and stays valid for at least a day. */
export function isGood({ certificate }: Identity, hosts: readonly string[]): boolean {
  const read = new X509Certificate(certificate);
  const names = read.getExtension(SubjectAlternativeNameExtension)?.names.toJSON() ?? [];
  const known = names.map(({ value }) => value);
  return read.notAfter.getTime() > new Clock().now() + DAY && hosts.every((host) => known.includes(host));
}

const alternativeName = (value: string) => ({
  type: isAddress(value) ? ('ip' as const) : ('dns' as const),
  value,
});

const isAddress = (host: string) => /^\d+(\.\d+){3}$/.test(host) || host.includes(':');

/** Certificates are valid from yesterday, because clocks differ. They use the machine's time, not an environment's. */
function validity(days: number): { notBefore: Date; notAfter: Date } {
  const now = new Clock().now();
  return { notBefore: new Date(now - DAY), notAfter: new Date(now + (days - 1) * DAY) };
}

const generateKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

async function identityOf(
  certificate: X509Certificate,
  { privateKey }: webcrypto.CryptoKeyPair,
): Promise<Identity> {
  const bytes = await crypto.subtle.exportKey('pkcs8', privateKey);
  return {
    certificate: certificate.toString('pem'),
    key: PemConverter.encode(bytes, PemConverter.PrivateKeyTag),
  };
}

const readKey = (pem: string) =>
  crypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(pem), ALGORITHM, false, ['sign']);
