import { X509Certificate } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { ENVELOPED, EXCLUSIVE, HASHES } from './names.ts';
import { attributeOf, childOf, parseXml } from './reading.ts';
import { SamlRefusal, type SamlCheck } from './refusal.ts';

export interface Trust {
  /** PEM; several while the provider changes its certificate. */
  certificates: readonly string[];
  /** Milliseconds. A certificate counts only within its own times. */
  now: number;
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
  const verifiers = trust.certificates.map((certificate) => ({
    certificate,
    verifier: verifierOf(signature, certificate, name),
  }));
  for (const { verifier } of verifiers.slice(0, 1)) refuseWeakForm(verifier, signature, id, name);
  const good = verifiers.find(({ verifier }) => isGood(verifier, xml));
  if (!good) throw unknownSigner(name, trust);
  refuseOutdated(good.certificate, trust.now);
  const [text, more] = good.verifier.getSignedReferences();
  if (text === undefined || more !== undefined)
    throw refuse('signature', `${name} is signed in parts`, 'one signature of the whole', 'several parts');
  return { element: parseXml(text), xml: text };
}

function verifierOf(signature: Element, certificate: string, name: string): SignedXml {
  const verifier = new SignedXml({ publicCert: certificate, getCertFromKeyInfo: () => null });
  try {
    verifier.loadSignature(signature);
  } catch (thrown) {
    throw refuse('signature', `the signature of ${name} cannot be read`, 'a signature', messageOf(thrown));
  }
  return verifier;
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

function isGood(verifier: SignedXml, xml: string): boolean {
  try {
    return verifier.checkSignature(xml);
  } catch {
    // The library throws for a wrong value; the caller says what was expected.
    return false;
  }
}

function unknownSigner(name: string, { certificates }: Trust): SamlRefusal {
  const expected =
    certificates.map(describeCertificate).join(', or ') || 'a certificate of the connection, which has none';
  return refuse(
    'signature',
    `no certificate of the connection has signed this ${name}`,
    expected,
    'another key, or changed content',
  );
}

const describeCertificate = (pem: string): string => {
  const { subject, fingerprint256 } = new X509Certificate(pem);
  return `${subject.replaceAll('\n', ', ')} (SHA-256 ${fingerprint256.slice(0, 23)}…)`;
};

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
