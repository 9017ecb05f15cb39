import { X509Certificate } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { bareCertificate } from './development-keys.ts';
import { ENVELOPED, EXCLUSIVE, HASHES, type Hash } from './names.ts';
import { attributeOf, childOf, parseXml } from './reading.ts';
import { SamlRefusal, type SamlCheck } from './refusal.ts';
import { hasSigned } from './signature.ts';

export interface Trust {
  /** PEM; several while the provider changes its certificate. */
  certificates: readonly string[];
  /** Milliseconds. A certificate counts only within its own times. Absent: at any time. */
  now?: number;
  /** Whose certificates they are; `the connection` if it is absent. */
  owner?: string;
}

/** An element whose signature is good. Everything is read from this copy: what was signed, and nothing else. */
export interface SignedCopy {
  element: Element;
  /** The canonical text that was signed. */
  xml: string;
}

const refuse = (check: SamlCheck, problem: string, expected: string, received: string) =>
  new SamlRefusal({ check, problem, expected, received, error: 'signature_validation_failed' });

/** The signed copy of an element of the document `xml`; undefined if the element has no signature. */
export function signedCopy(found: Element, xml: string, trust: Trust): SignedCopy | undefined {
  const signature = childOf(found, 'ds', 'Signature');
  if (!signature) return undefined;
  const name = found.localName;
  const id = attributeOf(found, 'ID');
  if (!id) throw refuse('signature', `${name} is signed and has no ID`, 'an ID', '');
  const verifier = new Verifier(signature, trust.certificates, name);
  if (trust.certificates.length > 0) refuseWeakForm(verifier.signedXml, signature, id, name);
  const certificate = verifier.signerOf(xml);
  if (certificate === undefined) throw unknownSigner(name, trust);
  if (trust.now !== undefined) refuseOutdated(certificate, trust.now);
  const [text, more] = verifier.signedXml.getSignedReferences();
  if (text === undefined || more !== undefined)
    throw refuse('signature', `${name} is signed in parts`, 'one signature of the whole', 'several parts');
  return { element: parseXml(text), xml: text };
}

/** Reads a document once, however many certificates there are: that costs more than all their keys. */
class Verifier {
  readonly signedXml: SignedXml;
  #signer: string | undefined;

  constructor(signature: Element, certificates: readonly string[], name: string) {
    this.signedXml = new SignedXml({ publicCert: certificates[0] ?? '', getCertFromKeyInfo: () => null });
    const { sha256, sha512 } = HASHES;
    Object.assign(this.signedXml.SignatureAlgorithms, {
      [sha256.signature]: this.#algorithm('sha256', certificates),
      [sha512.signature]: this.#algorithm('sha512', certificates),
    });
    try {
      this.signedXml.loadSignature(signature);
    } catch (thrown) {
      throw refuse('signature', `the signature of ${name} cannot be read`, 'a signature', messageOf(thrown));
    }
  }

  /** The certificate that has signed the element of the document; undefined for none. */
  signerOf(xml: string): string | undefined {
    try {
      return this.signedXml.checkSignature(xml) ? this.#signer : undefined;
    } catch {
      // The library throws for a wrong value; the caller says what was expected.
      return undefined;
    }
  }

  /** The library asks one key, so this stands for all of them. */
  #algorithm(hash: Hash, certificates: readonly string[]) {
    const find = (text: string, value: string) => {
      const signed = { hash, text, signature: Buffer.from(value, 'base64') };
      this.#signer = certificates.find((each) => hasSigned(each, signed));
      return this.#signer !== undefined;
    };
    return class {
      readonly getAlgorithmName = () => HASHES[hash].signature;
      readonly getSignature = () => '';
      readonly verifySignature = (text: string, _key: unknown, value: string) => find(text, value);
    };
  }
}

const messageOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));

const SIGNATURES: ReadonlySet<string> = new Set([HASHES.sha256.signature, HASHES.sha512.signature]);
const DIGESTS: ReadonlySet<string> = new Set([HASHES.sha256.digest, HASHES.sha512.digest]);

/**
 * The parts of a signature that an attacker could choose. Unverified (saml/weak-signatures): SHA-1 is refused, though
 * the service may still take it from old providers.
 */
function refuseWeakForm(verifier: SignedXml, signature: Element, id: string, name: string): void {
  const method = String(verifier.signatureAlgorithm);
  if (!SIGNATURES.has(method))
    throw refuse(
      'signature',
      `${name} is signed in a way that is not accepted`,
      [...SIGNATURES].join(' or '),
      method,
    );
  if (verifier.canonicalizationAlgorithm !== EXCLUSIVE)
    throw refuse(
      'signature',
      'the canonicalization is not accepted',
      EXCLUSIVE,
      String(verifier.canonicalizationAlgorithm),
    );
  if (childOf(signature, 'ds', 'Object'))
    throw refuse(
      'signature',
      'the signature holds other content',
      'SignedInfo, SignatureValue, KeyInfo',
      'Object',
    );
  // Before the check of the signature these are only what it claims, which is what is judged here.
  const info = childOf(signature, 'ds', 'SignedInfo');
  const references = info ? info.getElementsByTagNameNS('*', 'Reference') : undefined;
  const reference = references?.[0];
  if (!reference || references?.length !== 1)
    throw refuse('signature', `${name} is signed in parts`, 'one reference', String(references?.length ?? 0));
  const uri = reference.getAttribute('URI') ?? '';
  if (uri !== `#${id}`) throw refuse('signature', 'the signature is of something else', `#${id}`, uri);
  refuseTransforms(reference);
  const digest = childOf(reference, 'ds', 'DigestMethod')?.getAttribute('Algorithm') ?? '';
  if (!DIGESTS.has(digest))
    throw refuse('signature', 'the digest is not accepted', [...DIGESTS].join(' or '), digest);
}

function refuseTransforms(reference: Element): void {
  const found = [...elementsIn(reference.getElementsByTagNameNS('*', 'Transform'))];
  const names = found.map((transform) => transform.getAttribute('Algorithm') ?? '');
  const isPlain = names.length <= 2 && names.every((each) => each === ENVELOPED || each === EXCLUSIVE);
  if (!isPlain || !names.includes(ENVELOPED))
    throw refuse(
      'signature',
      'the transforms are not accepted',
      `${ENVELOPED}, ${EXCLUSIVE}`,
      names.join(', '),
    );
}

function* elementsIn(list: HTMLCollectionOf<Element>): Generator<Element> {
  for (let index = 0; index < list.length; index += 1) yield list[index]!;
}

function unknownSigner(name: string, { certificates, owner = 'the connection' }: Trust): SamlRefusal {
  const expected =
    certificates.map(describeCertificate).join(', or ') || `a certificate of ${owner}, which has none`;
  return refuse(
    'signature',
    `no certificate of ${owner} has signed this ${name}`,
    expected,
    'another key, or changed content',
  );
}

function describeCertificate(pem: string): string {
  try {
    const { subject, fingerprint256 } = new X509Certificate(pem);
    return `${subject.replaceAll('\n', ', ')} (SHA-256 ${fingerprint256.slice(0, 23)}…)`;
  } catch {
    return `a certificate of the connection, of which one cannot be read (${bareCertificate(pem).slice(0, 20)}…)`;
  }
}

/**
 * Unverified (saml/outdated-certificates): the service's library refuses a certificate that is over, or has not begun.
 */
function refuseOutdated(pem: string, now: number): void {
  const { validFrom, validTo } = new X509Certificate(pem);
  if (now < Date.parse(validFrom) || now > Date.parse(validTo))
    throw refuse(
      'certificate',
      `the certificate of the provider, ${describeCertificate(pem)}, is not valid at this time`,
      `a time from ${isoOf(validFrom)} to ${isoOf(validTo)}`,
      new Date(now).toISOString(),
    );
}

const isoOf = (text: string) => new Date(text).toISOString();
