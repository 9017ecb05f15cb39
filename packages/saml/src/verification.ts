import { createHash, X509Certificate } from 'node:crypto';
import { C14nCanonicalization, ExclusiveCanonicalization } from 'xml-crypto';
import { base64Bytes } from './base64.ts';
import { bareCertificate } from './development-keys.ts';
import {
  DIGEST_METHODS,
  ENVELOPED,
  EXCLUSIVE,
  SIGNATURE_METHODS,
  type Hash,
  type SignatureMethod,
} from './names.ts';
import { attributeOf, childOf, childrenOf, isElement, parseXml, textOf } from './reading.ts';
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

/**
 * The signed copy of an element; undefined if the element has no signature. Who has signed is known before the content is
 * read, because only that costs time.
 */
export function signedCopy(found: Element, trust: Trust): SignedCopy | undefined {
  const signature = childOf(found, 'ds', 'Signature');
  if (!signature) return undefined;
  const name = found.localName;
  const id = attributeOf(found, 'ID');
  if (!id) throw refuse('signature', `${name} is signed and has no ID`, 'an ID', '');
  if (trust.certificates.length === 0) throw unknownSigner(name, trust);
  const { info, method, value, reference } = readSignature(signature, id, name);
  const signed = { method, text: canonical(info, EXCLUSIVE), signature: value };
  const certificate = trust.certificates.find((each) => hasSigned(each, signed));
  if (certificate === undefined) throw unknownSigner(name, trust);
  if (trust.now !== undefined) refuseOutdated(certificate, trust.now);
  const xml = withoutSignature(found, signature, () => canonical(found, reference.form, reference.prefixes));
  if (createHash(reference.hash).update(xml).digest('base64') !== reference.digest)
    throw unknownSigner(name, trust);
  return { element: parseXml(xml), xml };
}

interface ReadSignature {
  /** What is signed: the digest of the content, and how it was made. */
  info: Element;
  method: SignatureMethod;
  value: Buffer;
  reference: SignedReference;
}

interface SignedReference {
  /** In Base64. */
  digest: string;
  hash: Hash;
  /** Which canonical form of the content the digest is of. */
  form: string;
  /** Of namespaces that the form keeps even where nothing uses them. */
  prefixes: string[];
}

/** Reads a signature of the whole element with this ID. Refuses the parts of it that an attacker could choose. */
function readSignature(signature: Element, id: string, name: string): ReadSignature {
  const info = only(signature, 'SignedInfo', name);
  const algorithm = algorithmOf(only(info, 'SignatureMethod', name));
  const method = SIGNATURE_METHODS.get(algorithm);
  if (!method)
    throw refuse(
      'signature',
      `${name} is signed in a way that is not accepted`,
      METHODS,
      algorithm,
    ).decidedBy('saml/weak-signatures');
  const form = algorithmOf(only(info, 'CanonicalizationMethod', name));
  if (form !== EXCLUSIVE) throw refuse('signature', 'the canonicalization is not accepted', EXCLUSIVE, form);
  if (childOf(signature, 'ds', 'Object'))
    throw refuse(
      'signature',
      'the signature holds other content',
      'SignedInfo, SignatureValue, KeyInfo',
      'Object',
    );
  const references = childrenOf(info, 'ds', 'Reference');
  const [reference] = references;
  if (!reference || references.length !== 1)
    throw refuse('signature', `${name} is signed in parts`, 'one reference', String(references.length));
  const text = textOf(only(signature, 'SignatureValue', name));
  const value = base64Bytes(text);
  if (!value?.length)
    throw refuse('signature', `the signature of ${name} cannot be read`, 'Base64', text.trim().slice(0, 40));
  return { info, method, value, reference: readReference(reference, id, name) };
}

const METHODS = 'rsa-sha256, rsa-sha384, rsa-sha512, ecdsa-sha256, ecdsa-sha384 or ecdsa-sha512';

function readReference(reference: Element, id: string, name: string): SignedReference {
  const uri = reference.getAttribute('URI') ?? '';
  if (uri !== `#${id}`) throw refuse('signature', 'the signature is of something else', `#${id}`, uri);
  const method = algorithmOf(only(reference, 'DigestMethod', name));
  const hash = DIGEST_METHODS.get(method);
  if (!hash)
    throw refuse(
      'signature',
      'the digest is not accepted',
      [...DIGEST_METHODS.keys()].join(' or '),
      method,
    ).decidedBy('saml/weak-signatures');
  const digest = textOf(only(reference, 'DigestValue', name)).replace(/\s/g, '');
  return { digest, hash, ...readTransforms(reference) };
}

function readTransforms(reference: Element): Pick<SignedReference, 'form' | 'prefixes'> {
  const list = childOf(reference, 'ds', 'Transforms');
  const transforms = list ? childrenOf(list, 'ds', 'Transform') : [];
  const names = transforms.map(algorithmOf);
  const isPlain = names.length <= 2 && names.every((each) => each === ENVELOPED || each === EXCLUSIVE);
  if (!isPlain || !names.includes(ENVELOPED))
    throw refuse(
      'signature',
      'the transforms are not accepted',
      `${ENVELOPED}, ${EXCLUSIVE}`,
      names.join(', '),
    );
  const exclusive = transforms[names.indexOf(EXCLUSIVE)];
  const kept = exclusive && childOf(exclusive, 'ec', 'InclusiveNamespaces');
  const prefixes = (kept && attributeOf(kept, 'PrefixList'))?.split(/\s+/) ?? [];
  return { form: exclusive ? EXCLUSIVE : INCLUSIVE, prefixes };
}

/** Without a transform that names a form (XML signature 4.4.3.2). */
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';

const algorithmOf = (found: Element): string => attributeOf(found, 'Algorithm') ?? '';

function only(parent: Element, part: string, name: string): Element {
  const found = childrenOf(parent, 'ds', part);
  const [first] = found;
  if (first && found.length === 1) return first;
  const problem = `the signature of ${name} cannot be read`;
  throw refuse('signature', problem, `one ${part}`, String(found.length));
}

/** The canonical text of an element: what digests and signatures are made of. */
function canonical(found: Element, form: string, inclusiveNamespacesPrefixList: string[] = []): string {
  const writer = form === EXCLUSIVE ? new ExclusiveCanonicalization() : new C14nCanonicalization();
  return writer.process(found, {
    inclusiveNamespacesPrefixList,
    ancestorNamespaces: namespacesAround(found),
  });
}

/** The namespaces that an element gets from those around it. */
function namespacesAround(found: Element) {
  const around = new Map<string, string>();
  for (let at = found.parentNode; at && isElement(at); at = at.parentNode)
    for (const [prefix, namespace] of declaredBy(at)) if (!around.has(prefix)) around.set(prefix, namespace);
  for (const [prefix] of declaredBy(found)) around.delete(prefix);
  return [...around].map(([prefix, namespaceURI]) => ({ prefix, namespaceURI }));
}

const DECLARATION = /^xmlns(?::|$)/;

function declaredBy({ attributes }: Element): [prefix: string, namespace: string][] {
  const found: [string, string][] = [];
  for (let index = 0; index < attributes.length; index += 1) {
    const { name, value } = attributes[index]!;
    if (DECLARATION.test(name)) found.push([name.replace(DECLARATION, ''), value]);
  }
  return found;
}

/** Takes the signature out while `read` runs: it is no part of what it signs. */
function withoutSignature<T>(found: Element, signature: Element, read: () => T): T {
  const next = signature.nextSibling;
  found.removeChild(signature);
  try {
    return read();
  } finally {
    found.insertBefore(signature, next);
  }
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
    ).decidedBy('saml/outdated-certificates');
}

const isoOf = (text: string) => new Date(text).toISOString();
