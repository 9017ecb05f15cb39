/** Namespaces by the prefix that our documents use. */
export const NAMESPACES = {
  saml: 'urn:oasis:names:tc:SAML:2.0:assertion',
  samlp: 'urn:oasis:names:tc:SAML:2.0:protocol',
  md: 'urn:oasis:names:tc:SAML:2.0:metadata',
  ds: 'http://www.w3.org/2000/09/xmldsig#',
  xenc: 'http://www.w3.org/2001/04/xmlenc#',
  ec: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  understudy: 'urn:understudy:saml',
} as const;

export const BINDINGS = {
  HTTP_REDIRECT: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  HTTP_POST: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
} as const;

export type Binding = keyof typeof BINDINGS;

export const NAME_ID_FORMATS = {
  UNSPECIFIED: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  EMAIL: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  TRANSIENT: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  PERSISTENT: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
} as const;

export type NameIdFormat = keyof typeof NAME_ID_FORMATS;

const STATUS = 'urn:oasis:names:tc:SAML:2.0:status:';

/** A status by the last part of its name, such as `Success`. */
export const statusName = (code: string): string => `${STATUS}${code}`;

export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
export const PASSWORD_CONTEXT = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
export const ATTRIBUTE_FORMATS = {
  basic: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
  uri: 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri',
} as const;

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';

/** What signs with RSA and digests, by the hash (RFC 6931, FIPS 180). */
export const HASHES = {
  sha1: { signature: `${NAMESPACES.ds}rsa-sha1`, digest: `${NAMESPACES.ds}sha1` },
  sha256: { signature: `${MORE}rsa-sha256`, digest: `${NAMESPACES.xenc}sha256` },
  sha384: { signature: `${MORE}rsa-sha384`, digest: `${MORE}sha384` },
  sha512: { signature: `${MORE}rsa-sha512`, digest: `${NAMESPACES.xenc}sha512` },
} as const;

export type Hash = keyof typeof HASHES;

const STRONG = ['sha256', 'sha384', 'sha512'] as const;

export interface SignatureMethod {
  hash: Hash;
  key: 'rsa' | 'ec';
}

/**
 * The signatures that are taken. Unverified (saml/weak-signatures): SHA-1 is refused, though the service may still take it
 * from old providers.
 */
export const SIGNATURE_METHODS: ReadonlyMap<string, SignatureMethod> = new Map(
  STRONG.flatMap((hash): [string, SignatureMethod][] => [
    [HASHES[hash].signature, { hash, key: 'rsa' }],
    [`${MORE}ecdsa-${hash}`, { hash, key: 'ec' }],
  ]),
);

/** The digests that are taken. */
export const DIGEST_METHODS: ReadonlyMap<string, Hash> = new Map(
  STRONG.map((hash) => [HASHES[hash].digest, hash]),
);

/** Canonicalization that leaves out what surrounds an element. */
export const EXCLUSIVE = NAMESPACES.ec;
export const ENVELOPED = `${NAMESPACES.ds}enveloped-signature`;
