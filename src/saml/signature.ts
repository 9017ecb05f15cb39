import { createHash, sign, verify, type KeyObject } from 'node:crypto';
import { bareCertificate, type KeyPair } from './development-keys.ts';
import { ENVELOPED, EXCLUSIVE, HASHES, type Hash } from './names.ts';
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

const QUERY_HASHES: ReadonlyMap<string, Hash> = new Map([
  [HASHES.sha256.signature, 'sha256'],
  [HASHES.sha512.signature, 'sha512'],
]);

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
  const hash = QUERY_HASHES.get(valueOf('SigAlg'));
  if (!hash) return false;
  const covered = [message, 'RelayState', 'SigAlg'].flatMap((name) => parts.get(name) ?? []).join('&');
  const signature = Buffer.from(valueOf('Signature'), 'base64');
  return certificates.some((certificate) => hasSigned(certificate, { hash, text: covered, signature }));
}

/** False also for a certificate that cannot be read: a tester may have written anything. */
export function hasSigned(
  certificate: string,
  { hash, text, signature }: { hash: Hash; text: string; signature: Buffer },
): boolean {
  try {
    return verify(hash, Buffer.from(text), certificate, signature);
  } catch {
    return false;
  }
}
