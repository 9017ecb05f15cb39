import { X509Certificate } from 'node:crypto';
import { refused } from './refusal.ts';
import type { AttestedCredential } from './authenticator-data.ts';
import type { CborMap, CborValue } from './cbor.ts';
import { isSignedBy, knownAlgorithm, type PasskeyKey } from './cose.ts';

interface Attestation {
  format: string;
  statement: CborMap;
  /** What the statement signs: the authenticator data and the hash of the client data. */
  signed: Buffer;
  credential: AttestedCredential;
  key: PasskeyKey;
  /** In milliseconds, by the clock of the environment. */
  now: number;
}

/** Throws unless the authenticator's statement about the new passkey is right (WebAuthn 8). */
export function checkAttestation(attestation: Attestation): void {
  const { format, statement } = attestation;
  if (format === 'packed') return checkPacked(attestation);
  if (format !== 'none')
    throw refused(`the attestation has the format ${format.slice(0, 40)}: Understudy checks none and packed`);
  if (statement.size > 0) throw refused('an attestation of the format none must have no statement');
}

function checkPacked({ statement, signed, credential, key, now }: Attestation): void {
  const signature = statement.get('sig');
  if (!Buffer.isBuffer(signature)) throw refused('the packed attestation has no signature (sig)');
  const algorithm = knownAlgorithm(statement.get('alg'), 'the packed attestation');
  const chain = statement.get('x5c');
  if (chain === undefined && algorithm !== key.algorithm)
    throw refused('the packed attestation has another algorithm than the public key of the passkey');
  const signer =
    chain === undefined ? key : { algorithm, key: certificateOf(chain, credential, now).publicKey };
  if (!isSignedBy(signer, signed, signature))
    throw refused('the signature of the packed attestation is wrong');
}

const MAX_CHAIN = 8;

/** The authenticator's certificate. The chain to its maker is not checked: there are no trusted roots to check it with. */
function certificateOf(chain: CborValue, { aaguid }: AttestedCredential, now: number): X509Certificate {
  const first = Array.isArray(chain) && chain.length <= MAX_CHAIN ? chain[0] : undefined;
  const certificate = Buffer.isBuffer(first) ? readCertificate(first) : undefined;
  if (!certificate) throw refused(`the packed attestation needs 1 to ${MAX_CHAIN} X.509 certificates in x5c`);
  for (const [isRight, wanted] of requirements(certificate, now))
    if (!isRight) throw refused(`the certificate of the packed attestation needs ${wanted}`);
  const model = modelIn(certificate.raw);
  if (model !== undefined && model !== aaguid.replaceAll('-', ''))
    throw refused('the certificate of the packed attestation is for another model (AAGUID)');
  return certificate;
}

function readCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined; // the caller refuses it
  }
}

/** Requirements of certificates (WebAuthn 8.2.1). */
function requirements(certificate: X509Certificate, now: number): [isRight: boolean, wanted: string][] {
  const subject = new Map(
    certificate.subject.split(/\n| \+ (?=\w+=)/).map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
  return [
    [subject.get('OU') === 'Authenticator Attestation', 'the unit (OU) "Authenticator Attestation"'],
    [!!subject.get('CN'), 'a name (CN)'],
    [!!subject.get('O'), 'an organization (O)'],
    [subject.get('C')?.length === 2, 'a country (C) of two letters'],
    [!certificate.ca, 'not to be that of an authority (CA)'],
    [isVersion3(certificate.raw), 'X.509 version 3'],
    [Date.parse(certificate.validFrom) <= now, `a clock that is not before ${certificate.validFrom}`],
    [Date.parse(certificate.validTo) >= now, `a clock that is not after ${certificate.validTo}`],
  ];
}

/** The version is the first field of the certificate's content (RFC 5280 4.1). */
const isVersion3 = (der: Buffer) =>
  der.subarray(contentAt(der, contentAt(der, 0))).indexOf(Buffer.from('a003020102', 'hex')) === 0;

const contentAt = (der: Buffer, at: number) => {
  const length = der[at + 1] ?? 0;
  return at + 2 + (length & 0x80 ? length & 0x7f : 0);
};

/** The object identifier 1.3.6.1.4.1.45724.1.1.4, whose value is the AAGUID in two octet strings. */
const MODEL = Buffer.from('060b2b0601040182e51c010104', 'hex');

function modelIn(der: Buffer): string | undefined {
  const at = der.indexOf(MODEL);
  if (at < 0) return undefined;
  const value = der.subarray(at + MODEL.length);
  if (value.subarray(0, 4).toString('hex') !== '04120410')
    throw refused('the certificate of the packed attestation has a malformed model (AAGUID)');
  return value.subarray(4, 20).toString('hex');
}
