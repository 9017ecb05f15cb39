import { createHash, sign, verify, X509Certificate, type KeyObject } from 'node:crypto';
import { base64Bytes } from './base64.ts';
import { bareCertificate, type KeyPair } from './development-keys.ts';
import { ENVELOPED, EXCLUSIVE, HASHES, SIGNATURE_METHODS, type Hash, type SignatureMethod } from './names.ts';
import { element, xmlText, type XmlElement } from './xml.ts';

/** The element with a signature behind its issuer, where SAML wants it. The element needs an `ID`. */
export function signed(
  whole: XmlElement,
  { privateKey, certificate }: KeyPair,
  hash: Hash = 'sha256',
): XmlElement {
  const info = signedInfo(whole, hash);
  const value = sign(hash, Buffer.from(xmlText(info)), privateKey).toString('base64');
  const signature = element(
    'ds:Signature',
    {},
    info,
    element('ds:SignatureValue', {}, value),
    keyInfo(certificate),
  );
  const at =
    whole.children.findIndex((child) => typeof child === 'object' && child.name === 'saml:Issuer') + 1;
  return { ...whole, children: whole.children.toSpliced(at, 0, signature) };
}

function signedInfo(whole: XmlElement, hash: Hash): XmlElement {
  const { signature, digest } = HASHES[hash];
  const bytes = Buffer.from(xmlText(whole));
  return element(
    'ds:SignedInfo',
    {},
    element('ds:CanonicalizationMethod', { Algorithm: EXCLUSIVE }),
    element('ds:SignatureMethod', { Algorithm: signature }),
    element(
      'ds:Reference',
      { URI: `#${whole.attributes['ID']}` },
      element(
        'ds:Transforms',
        {},
        element('ds:Transform', { Algorithm: ENVELOPED }),
        element('ds:Transform', { Algorithm: EXCLUSIVE }),
      ),
      element('ds:DigestMethod', { Algorithm: digest }),
      element('ds:DigestValue', {}, createHash(hash).update(bytes).digest('base64')),
    ),
  );
}

export const keyInfo = (certificate: string): XmlElement =>
  element(
    'ds:KeyInfo',
    {},
    element('ds:X509Data', {}, element('ds:X509Certificate', {}, bareCertificate(certificate))),
  );

/** A query with the signature of the redirect binding (SAML bindings 3.4.4.1): over the text of these parameters. */
export function signedQuery(query: string, privateKey: KeyObject): string {
  const whole = `${query}&SigAlg=${encodeURIComponent(HASHES.sha256.signature)}`;
  const value = sign('sha256', Buffer.from(whole), privateKey).toString('base64');
  return `${whole}&Signature=${encodeURIComponent(value)}`;
}

/** Whether one of the certificates has signed a query of the redirect binding. The text counts as it was sent. */
export function isQuerySigned(
  sent: string,
  message: 'SAMLRequest' | 'SAMLResponse',
  certificates: readonly string[],
) {
  const parts = new Map(sent.split('&').map((part) => [part.slice(0, part.indexOf('=')), part]));
  const valueOf = (name: string) => {
    try {
      return decodeURIComponent(parts.get(name)?.slice(name.length + 1) ?? '');
    } catch {
      return ''; // not percent-encoded, so not signed
    }
  };
  const method = SIGNATURE_METHODS.get(valueOf('SigAlg'));
  if (!method) return false;
  const covered = [message, 'RelayState', 'SigAlg'].flatMap((name) => parts.get(name) ?? []).join('&');
  const signature = base64Bytes(valueOf('Signature'));
  if (!signature) return false;
  return certificates.some((certificate) => hasSigned(certificate, { method, text: covered, signature }));
}

interface Signed {
  method: SignatureMethod;
  text: string;
  signature: Buffer;
}

/** False also for a certificate that cannot be read: a tester may have written anything. */
export function hasSigned(certificate: string, { method, text, signature }: Signed): boolean {
  try {
    const { publicKey: key } = new X509Certificate(certificate);
    // Both numbers of an ECDSA signature, one after the other (XML signature 6.4.3).
    const encoded = method.key === 'ec' ? { key, dsaEncoding: 'ieee-p1363' as const } : key;
    return key.asymmetricKeyType === method.key && verify(method.hash, Buffer.from(text), encoded, signature);
  } catch {
    return false;
  }
}
