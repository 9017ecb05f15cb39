import { createHash, sign } from 'node:crypto';
import { developmentKey, bareCertificate, type KeyPair } from '@understudy/saml/development-keys';
import { responseText, type SamlResponse, type SignedInUser } from '@understudy/saml/response';

/** What a sample of a response is made for. */
export interface SampleTarget {
  now: number;
  issuer: string;
  consumerUrl: string;
  audience: string;
  requestId: string;
}

/** Bytes that are the same in each run. */
const draw = (length: number) => Buffer.alloc(length, 7);

const HONEST: SignedInUser = {
  nameId: 'ada@acme.example',
  nameIdFormat: 'EMAIL',
  attributes: { email: ['ada@acme.example'], firstName: ['Ada'] },
};

type Changes = Partial<Omit<SamlResponse, 'outcome'>> & { user?: Partial<SignedInUser> };

/** A response as an honest provider writes it, with changes. */
export function sampleResponse(target: SampleTarget, { user, ...changes }: Changes = {}): string {
  return responseText({
    ids: ['_response', '_assertion'],
    inResponseTo: target.requestId,
    lifetime: 300_000,
    sign: 'assertion',
    key: developmentKey('provider'),
    draw,
    ...target,
    ...changes,
    outcome: { ...HONEST, ...user },
  });
}

const DS = 'http://www.w3.org/2000/09/xmldsig#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

interface SignedHow {
  method?: 'rsa-sha256' | 'rsa-sha384' | 'ecdsa-sha256' | 'ecdsa-sha384' | 'ecdsa-sha512';
  /** How an ECDSA signature is written: XML wants both numbers, OpenSSL writes DER. */
  dsaEncoding?: 'ieee-p1363' | 'der';
  /** Names of the transforms. */
  transforms?: readonly string[];
}

export const ENVELOPED = `${DS}enveloped-signature`;

/** Signs an element of a canonical text, by code of its own: the samples do not trust the writer of the service. */
export function signText(
  xml: string,
  id: string,
  { privateKey: key, certificate }: KeyPair,
  {
    method = 'rsa-sha256',
    dsaEncoding = 'ieee-p1363',
    transforms: names = [ENVELOPED, EXCLUSIVE],
  }: SignedHow = {},
): string {
  const digest = createHash('sha256').update(xml).digest('base64');
  const transforms = names.map((each) => `<ds:Transform Algorithm="${each}"></ds:Transform>`);
  const info = [
    `<ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}"></ds:CanonicalizationMethod>`,
    `<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#${method}"></ds:SignatureMethod>`,
    `<ds:Reference URI="#${id}"><ds:Transforms>${transforms.join('')}</ds:Transforms>`,
    '<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod>',
    `<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference>`,
  ].join('');
  const signed = `<ds:SignedInfo xmlns:ds="${DS}">${info}</ds:SignedInfo>`;
  const value = sign(method.split('-')[1], Buffer.from(signed), { key, dsaEncoding }).toString('base64');
  const known = `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${bareCertificate(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
  const signature = `<ds:Signature xmlns:ds="${DS}"><ds:SignedInfo>${info}</ds:SignedInfo><ds:SignatureValue>${value}</ds:SignatureValue>${known}</ds:Signature>`;
  return xml.replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
}

const cut = (xml: string, tag: string): string => {
  const [found] = new RegExp(`<${tag}[ >].*?</${tag}>`, 's').exec(xml) ?? [];
  if (found === undefined) throw new Error(`the sample has no ${tag}`);
  return found;
};

/** Replaces, or fails: a sample that changes nothing would prove nothing. */
function swap(xml: string, from: string | RegExp, to: string): string {
  const changed = xml.replace(from, () => to);
  if (changed === xml) throw new Error(`the sample has no ${String(from)}`);
  return changed;
}

/** The check that must refuse the sample; undefined: the sample is good. */
export interface Sample {
  name: string;
  xml: string;
  refusedBy: string | undefined;
}

type Row = [name: string, xml: string, refusedBy?: string];

const ADMIN = 'admin@acme.example';
const named = (rows: Row[]): Sample[] => rows.map(([name, xml, refusedBy]) => ({ name, xml, refusedBy }));

/** Responses that must be accepted. */
export function honestSamples(target: SampleTarget, service: KeyPair): Sample[] {
  const of = (changes?: Changes) => sampleResponse(target, changes);
  return named([
    ['a signed assertion', of()],
    ['a signed response', of({ sign: 'response' })],
    ['both signed', of({ sign: 'both' })],
    ['SHA-512', of({ hash: 'sha512' })],
    ['an encrypted assertion', of({ encryptFor: service.certificate })],
    ['an encrypted assertion in a signed response', of({ encryptFor: service.certificate, sign: 'both' })],
    ['a clock that is two minutes ahead', of({ now: target.now + 120_000 })],
    ['a namespace that nothing uses', swap(of(), '<saml:NameID ', '<saml:NameID xmlns:x="urn:x" ')],
    ['an XML declaration', `<?xml version="1.0" encoding="UTF-8"?>\n${of()}`],
  ]);
}

/** Responses that must be refused. */
export function hostileSamples(target: SampleTarget, service: KeyPair): Sample[] {
  return [
    ...wrapped(target),
    ...wrappedResponses(target),
    ...changedText(target),
    ...changedSignature(target),
    ...wrongContent(target),
    ...missingParts(target),
    ...encryptedWrongly(target, service),
    ...costly(target),
  ];
}

/** The parts that signature wrapping moves about. */
function pieces(target: SampleTarget) {
  const good = sampleResponse(target);
  const assertion = cut(good, 'saml:Assertion');
  const signature = cut(assertion, 'ds:Signature');
  const bare = assertion.replace(signature, '');
  const evil = (xml: string, id = '_evil') =>
    swap(
      xml.replace('ID="_assertion"', `ID="${id}"`),
      'ada@acme.example</saml:NameID>',
      `${ADMIN}</saml:NameID>`,
    );
  const around = (content: string) => swap(good, assertion, content);
  return { good, assertion, signature, bare, evil, around };
}

/** Signature wrapping of a signed assertion (Somorovsky et al., 2012, the forms that are known as XSW3 to XSW8). */
function wrapped(target: SampleTarget): Sample[] {
  const { assertion, signature, bare, evil, around } = pieces(target);
  const inSignature = (content: string) => swap(signature, '</ds:Signature>', `${content}</ds:Signature>`);
  const afterIssuer = (xml: string, content: string) =>
    swap(xml, '</saml:Issuer>', `</saml:Issuer>${content}`);
  const extended = (content: string, main: string) =>
    swap(around(main), '<samlp:Status>', `<samlp:Extensions>${content}</samlp:Extensions><samlp:Status>`);
  return named([
    ['XSW3: a forged assertion before the signed one', around(evil(bare) + assertion), 'assertion'],
    ['a forged assertion behind the signed one', around(assertion + evil(bare)), 'assertion'],
    [
      'XSW4: a forged assertion around the signed one',
      around(swap(evil(bare), '</saml:Assertion>', `${assertion}</saml:Assertion>`)),
      'assertion',
    ],
    ['XSW5: a forged assertion with the signature of another', around(evil(assertion) + bare), 'assertion'],
    [
      'XSW6: the signed assertion inside of the signature',
      around(afterIssuer(evil(bare), inSignature(bare))),
      'assertion',
    ],
    [
      'XSW7: the signed assertion in Extensions, with its ID repeated',
      extended(assertion, evil(bare, '_assertion')),
      'message',
    ],
    ['the signed assertion in Extensions', extended(assertion, evil(bare)), 'assertion'],
    [
      'XSW8: the signed assertion in an Object of the signature',
      around(afterIssuer(evil(bare), inSignature(`<ds:Object>${bare}</ds:Object>`))),
      'assertion',
    ],
    ['a forged assertion with the same ID', around(evil(bare, '_assertion') + assertion), 'message'],
    ['only a forged assertion, with the signature of another', around(evil(assertion)), 'signature'],
    [
      'the signed assertion in StatusDetail',
      swap(
        around(evil(bare)),
        '</samlp:Status>',
        `<samlp:StatusDetail>${assertion}</samlp:StatusDetail></samlp:Status>`,
      ),
      'assertion',
    ],
  ]);
}

/** Signature wrapping of a signed response (XSW1, XSW2). */
function wrappedResponses(target: SampleTarget): Sample[] {
  const good = sampleResponse(target, { sign: 'response' });
  const signature = cut(good, 'ds:Signature');
  const bare = good.replace(signature, '');
  const evil = swap(
    swap(bare, 'ID="_response"', 'ID="_evil"').replace('ID="_assertion"', 'ID="_evil2"'),
    'ada@acme.example</saml:NameID>',
    `${ADMIN}</saml:NameID>`,
  );
  const put = (content: string) => swap(evil, '</saml:Issuer>', `</saml:Issuer>${content}`);
  return named([
    [
      'XSW1: the signed response inside of the signature',
      put(swap(signature, '</ds:Signature>', `${bare}</ds:Signature>`)),
      'signature',
    ],
    ['XSW2: the signed response before its signature', put(bare + signature), 'signature'],
    ['a second response behind the first', good + bare, 'xml'],
    [
      'a signed response in another element',
      `<samlp:Wrap xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">${good}</samlp:Wrap>`,
      'message',
    ],
  ]);
}

function changedText(target: SampleTarget): Sample[] {
  const good = sampleResponse(target);
  const name = 'ada@acme.example</saml:NameID>';
  const long = sampleResponse(target, { user: { nameId: `${ADMIN}.evil.example` } });
  const doctype = (content: string) => `<!DOCTYPE x [${content}]>`;
  return named([
    ['a comment in NameID', swap(good, name, 'ada<!-- x -->@acme.example</saml:NameID>'), 'xml'],
    [
      'a comment that cuts NameID',
      swap(long, `${ADMIN}.evil.example</saml:NameID>`, `${ADMIN}<!---->.evil.example</saml:NameID>`),
      'xml',
    ],
    ['an instruction in NameID', swap(good, name, 'ada<?x y?>@acme.example</saml:NameID>'), 'xml'],
    ['a CDATA section in NameID', swap(good, name, `<![CDATA[${ADMIN}]]></saml:NameID>`), 'xml'],
    ['an element in NameID', swap(good, name, `<x>${ADMIN}</x></saml:NameID>`), 'signature'],
    ['another NameID', swap(good, name, `${ADMIN}</saml:NameID>`), 'signature'],
    ['a second NameID', swap(good, name, `${name}<saml:NameID>${ADMIN}</saml:NameID>`), 'signature'],
    ['a document type', doctype('<!ENTITY e "admin">') + good, 'xml'],
    ['an entity', doctype('<!ENTITY e "ada">') + swap(good, name, '&e;@acme.example</saml:NameID>'), 'xml'],
    ['an entity of another file', doctype('<!ENTITY e SYSTEM "file:///etc/passwd">') + good, 'xml'],
    ['an unknown entity', swap(good, name, '&admin;</saml:NameID>'), 'xml'],
    ['a character that XML does not allow', swap(good, ' Version="2.0"', '\u0015Version="2.0"'), 'xml'],
    ['a zero character', swap(good, '<samlp:Status>', '<samlp:Status\0>'), 'xml'],
    ['a reference to a zero character', swap(good, '<ds:KeyInfo>', '<ds:KeyInfo>&#0;'), 'xml'],
    ['a reference to half a character', swap(good, '<ds:KeyInfo>', '<ds:KeyInfo>&#xD800;'), 'xml'],
    ['a reference behind all characters', swap(good, '<ds:KeyInfo>', '<ds:KeyInfo>&#1114112;'), 'xml'],
    [
      'a signature that is no Base64',
      swap(good, '</ds:SignatureValue>', '*</ds:SignatureValue>'),
      'signature',
    ],
    ['a document type behind a comment', `<!-- x -->${doctype('')}${good}`, 'xml'],
    ['text that is no XML', '<<<', 'xml'],
    ['nothing but text', 'no element', 'xml'],
    ['a cut document', good.slice(0, good.length / 2), 'xml'],
  ]);
}

function changedSignature(target: SampleTarget): Sample[] {
  const good = sampleResponse(target);
  const signature = cut(good, 'ds:Signature');
  const forged = swap(good, 'ada@acme.example</saml:NameID>', `${ADMIN}</saml:NameID>`);
  const transform = `<ds:Transform Algorithm="${EXCLUSIVE}"></ds:Transform>`;
  return named([
    ['no signature', swap(good, signature, ''), 'signature'],
    [
      'the key of somebody else',
      sampleResponse(target, { key: developmentKey('next_provider') }),
      'signature',
    ],
    ['SHA-1', sampleResponse(target, { hash: 'sha1' }), 'signature'],
    ['HMAC with the certificate as its secret', swap(good, 'rsa-sha256', 'hmac-sha256'), 'signature'],
    ['a digest with a comment', swap(forged, '<ds:DigestValue>', '<ds:DigestValue><!--A-->'), 'xml'],
    ['an empty digest', swap(good, /<ds:DigestValue>[^<]*/, '<ds:DigestValue>'), 'signature'],
    ['an empty signature value', swap(good, /<ds:SignatureValue>[^<]*/, '<ds:SignatureValue>'), 'signature'],
    [
      'two SignedInfo',
      swap(forged, '<ds:SignatureValue>', `${cut(signature, 'ds:SignedInfo')}<ds:SignatureValue>`),
      'signature',
    ],
    [
      'two references',
      swap(good, '</ds:Reference>', `</ds:Reference>${cut(signature, 'ds:Reference')}`),
      'signature',
    ],
    ['a reference to the whole document', swap(good, 'URI="#_assertion"', 'URI=""'), 'signature'],
    ['a reference to nothing', swap(good, 'URI="#_assertion"', 'URI="#_nothing"'), 'signature'],
    [
      'a reference with a quote',
      swap(good, 'URI="#_assertion"', `URI="#_assertion' or '1'='1"`),
      'signature',
    ],
    [
      'a transform by XPath',
      swap(
        good,
        transform,
        '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"></ds:Transform>',
      ),
      'signature',
    ],
    [
      'a transform by XSLT',
      swap(
        good,
        transform,
        '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"></ds:Transform>',
      ),
      'signature',
    ],
    [
      'canonicalization with comments',
      swap(
        good,
        `CanonicalizationMethod Algorithm="${EXCLUSIVE}"`,
        `CanonicalizationMethod Algorithm="${EXCLUSIVE}WithComments"`,
      ),
      'signature',
    ],
    ['two signatures', swap(good, signature, signature + signature), 'xml'],
    ['a signature without SignedInfo', swap(good, cut(signature, 'ds:SignedInfo'), ''), 'signature'],
  ]);
}

function wrongContent(target: SampleTarget): Sample[] {
  const of = (changes: Changes) => sampleResponse(target, changes);
  const { now } = target;
  return named([
    ['an hour old', of({ now: now - 3_600_000 }), 'issue time'],
    ['an hour ahead', of({ now: now + 3_600_000 }), 'time'],
    ['good for no time', of({ now: now - 80_000, lifetime: -200_000 }), 'time'],
    ['another audience', of({ audience: 'https://other.example' }), 'audience'],
    ['an answer to another request', of({ inResponseTo: '_other' }), 'request'],
    ['an answer to no request', of({ inResponseTo: undefined }), 'request'],
    ['another address', of({ consumerUrl: 'https://other.example/acs' }), 'destination'],
    [
      'another recipient',
      of({ consumerUrl: 'https://other.example/acs' }).replace('Destination="https://other.example/acs"', ''),
      'recipient',
    ],
    ['another issuer', of({ issuer: 'https://evil.example' }), 'issuer'],
    ['an empty NameID', of({ user: { nameId: '' } }), 'subject'],
    ['a failed status', failed(target), 'status'],
  ]);
}

const failed = (target: SampleTarget): string =>
  responseText({
    ids: ['_response', '_assertion'],
    inResponseTo: target.requestId,
    lifetime: 300_000,
    sign: 'response',
    key: developmentKey('provider'),
    draw,
    ...target,
    outcome: { error: 'access_denied', description: 'no' },
  });

/** The assertion is changed and signed again, by the right key. */
function missingParts(target: SampleTarget): Sample[] {
  const plain = sampleResponse(target, { sign: 'none' });
  const assertion = cut(plain, 'saml:Assertion');
  const without = (part: string | RegExp, to = '') =>
    swap(plain, assertion, signText(swap(assertion, part, to), '_assertion', developmentKey('provider')));
  return named([
    ['no Conditions', without(cut(assertion, 'saml:Conditions')), 'audience'],
    ['no AudienceRestriction', without(cut(assertion, 'saml:AudienceRestriction')), 'audience'],
    ['no Subject', without(cut(assertion, 'saml:Subject')), 'subject'],
    ['no NameID', without(cut(assertion, 'saml:NameID')), 'subject'],
    ['no SubjectConfirmation', without(cut(assertion, 'saml:SubjectConfirmation')), 'subject'],
    ['no AuthnStatement', without(cut(assertion, 'saml:AuthnStatement')), 'subject'],
    ['two issuers', without('</saml:Issuer>', '</saml:Issuer><saml:Issuer>x</saml:Issuer>'), 'xml'],
    ['no end of its time', without(/ NotOnOrAfter="[^"]*" Recipient/, ' Recipient'), 'time'],
    ['a confirmation that is no bearer', without('cm:bearer', 'cm:holder-of-key'), 'subject'],
    ['a time of another zone', without(/NotBefore="[^"]*"/, 'NotBefore="2020-01-01T00:00:00+05:00"'), 'time'],
    ['a time that is none', without(/NotBefore="[^"]*"/, 'NotBefore="soon"'), 'time'],
    ['no IssueInstant', without(/ IssueInstant="[^"]*"/), 'issue time'],
    ['an assertion of another version', without(' Version="2.0"', ' Version="1.1"'), 'message'],
    ['an assertion without a version', without(' Version="2.0"'), 'message'],
    ['a response of another version', plain.replace('Version="2.0"', 'Version="2.1"'), 'message'],
    [
      'no ID, in a signed response',
      signText(swap(plain, ' ID="_assertion"', ''), '_response', developmentKey('provider')),
      'assertion',
    ],
  ]);
}

function encryptedWrongly(target: SampleTarget, { certificate }: KeyPair): Sample[] {
  const good = sampleResponse(target, { encryptFor: certificate });
  const value = /<xenc:CipherValue>([^<]*)<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>/;
  const clear = cut(sampleResponse(target), 'saml:Assertion');
  const hidden = cut(good, 'saml:EncryptedAssertion');
  return named([
    [
      'encrypted for another service',
      sampleResponse(target, { encryptFor: developmentKey('next_provider').certificate }),
      'encryption',
    ],
    [
      'encrypted and not signed',
      sampleResponse(target, { encryptFor: certificate, sign: 'none' }),
      'signature',
    ],
    [
      'changed data',
      swap(
        good,
        value,
        `<xenc:CipherValue>${Buffer.alloc(900, 1).toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>`,
      ),
      'encryption',
    ],
    ['an unknown cipher', swap(good, 'aes256-gcm', 'rot13'), 'encryption'],
    ['an old encryption of the key', swap(good, 'rsa-oaep-mgf1p', 'rsa-1_5'), 'encryption'],
    ['an assertion in clear text beside an encrypted one', swap(good, hidden, hidden + clear), 'assertion'],
    ['no key', swap(good, cut(good, 'xenc:EncryptedKey'), ''), 'encryption'],
  ]);
}

function costly(target: SampleTarget): Sample[] {
  const good = sampleResponse(target);
  const inside = (content: string) => swap(good, '<samlp:Status>', `${content}<samlp:Status>`);
  const laughs = Array.from(
    { length: 9 },
    (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
  );
  const attributes = Array.from({ length: 5000 }, (_, index) => `a${index}=""`);
  return named([
    ['a billion laughs', `<!DOCTYPE x [<!ENTITY l0 "lol">${laughs.join('')}]>${good}`, 'xml'],
    ['a tower of elements', inside('<x>'.repeat(20_000) + '</x>'.repeat(20_000)), 'size'],
    ['very many elements', inside('<x/>'.repeat(20_000)), 'size'],
    ['very many attributes', inside(`<x ${attributes.join(' ')}/>`), 'xml'],
    ['a very large text', inside(`<x>${'a'.repeat(400_000)}</x>`), 'size'],
    ['very many open quotes', inside('<x a="'.repeat(20_000)), 'xml'],
  ]);
}
