import { SignedXml } from 'xml-crypto';
import { describe, expect, it } from 'vitest';
import { developmentKey } from '../src/development-keys.ts';
import { SamlRefusal } from '../src/refusal.ts';
import { checkResponse, type ResponseRules } from '../src/response-check.ts';
import { ecKey, type EcKey } from '../../../test/support/ec-keys.ts';
import { otherTexts } from '../../../test/support/other-texts.ts';
import {
  ENVELOPED,
  honestSamples,
  hostileSamples,
  sampleResponse,
  signText,
  type SampleTarget,
} from '../../../test/support/saml.ts';

const TARGET: SampleTarget = {
  now: Date.parse('2030-01-01T00:00:00Z'),
  issuer: 'https://idp.example/metadata',
  consumerUrl: 'http://localhost:8080/sso/v1/saml/conn_1/callback',
  audience: 'http://localhost:8080/sso/v1/saml/conn_1',
  requestId: '_request',
};

const SERVICE = developmentKey('service');

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';

const RULES: ResponseRules = {
  ...TARGET,
  certificates: [developmentKey('provider').certificate],
  wanted: 'either',
  decryptionKey: SERVICE.privateKey,
  mustBeEncrypted: false,
};

/** The check that refuses a response; undefined if none does. */
function refusalOf(xml: string, changes: Partial<ResponseRules> = {}): SamlRefusal | undefined {
  try {
    checkResponse(xml, { ...RULES, ...changes });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof SamlRefusal) return thrown;
    throw thrown;
  }
}

describe('a signature', () => {
  const xml = sampleResponse(TARGET);
  const value = /<ds:SignatureValue>([^<]*)</.exec(xml)![1]!;

  it('is good in lines of 76 characters', () => {
    const lines = value.replace(/.{76}/g, '$&\r\n');
    expect(refusalOf(xml.replace(value, `\n${lines}\n`))).toBeUndefined();
  });

  it('is refused in another text of the same bytes', () => {
    const refusals = otherTexts(value).map((other) => refusalOf(xml.replace(value, other))?.message);
    for (const refusal of refusals)
      expect(refusal).toMatch(/the signature of Assertion cannot be read. Expected Base64/);
  });
});

describe('checkResponse', () => {
  it.each(honestSamples(TARGET, SERVICE))('accepts $name', ({ xml }) => {
    expect(checkResponse(xml, RULES)).toMatchObject({
      issuer: TARGET.issuer,
      nameId: { value: 'ada@acme.example' },
      attributes: { email: ['ada@acme.example'], firstName: ['Ada'] },
    });
  });

  it.each(hostileSamples(TARGET, SERVICE))('refuses $name', ({ xml, refusedBy }) => {
    const before = process.cpuUsage();

    const refusal = refusalOf(xml);

    const { user } = process.cpuUsage(before);
    expect(refusal?.refused.check, refusal?.message).toBe(refusedBy);
    expect(user / 1000).toBeLessThan(500);
  });

  it('takes text that XML escapes as it was written', () => {
    const nameId = 'a&<b>"\'\r\n\té🦊]]>';
    const xml = sampleResponse(TARGET, { user: { nameId, attributes: { 'a "b"': [nameId] } } });

    const { attributes, nameId: read } = checkResponse(xml, RULES);

    expect(read.value).toBe(nameId);
    expect(attributes).toEqual({ 'a "b"': [nameId] });
  });

  it('trusts two certificates while the provider changes its own', () => {
    const certificates = (['provider', 'next_provider'] as const).map(
      (name) => developmentKey(name).certificate,
    );
    const next = sampleResponse(TARGET, { key: developmentKey('next_provider') });

    expect(refusalOf(next)?.refused.check).toBe('signature');
    expect(refusalOf(next, { certificates })).toBeUndefined();
    expect(refusalOf(sampleResponse(TARGET), { certificates })).toBeUndefined();
  });

  it('refuses a certificate that is over, and says when it was good', () => {
    const certificates = [developmentKey('expired_provider').certificate];

    const refusal = refusalOf(sampleResponse(TARGET), { certificates });

    expect(refusal?.message).toContain('is not valid at this time');
    expect(refusal?.message).toContain('a time from 2000-01-01T00:00:00.000Z to 2001-01-01T00:00:00.000Z');
    expect(refusal?.message).toContain('received 2030-01-01T00:00:00.000Z');
  });

  it.each([
    ['response', 'assertion'],
    ['assertion', 'response'],
    ['both', 'response'],
    ['both', 'assertion'],
  ] as const)('refuses, where %s must be signed, a signature of the %s only', (wanted, sign) => {
    expect(refusalOf(sampleResponse(TARGET, { sign }), { wanted })?.refused.check).toBe('signature');
    expect(refusalOf(sampleResponse(TARGET, { sign: 'both' }), { wanted })).toBeUndefined();
  });

  it('refuses clear text where the connection wants encryption', () => {
    const hidden = sampleResponse(TARGET, { encryptFor: SERVICE.certificate });

    expect(refusalOf(sampleResponse(TARGET), { mustBeEncrypted: true })?.refused.check).toBe('encryption');
    expect(refusalOf(hidden, { mustBeEncrypted: true })).toBeUndefined();
  });

  it('takes a response without a request only where none is expected', () => {
    const unsolicited = sampleResponse(TARGET, { inResponseTo: undefined });

    expect(refusalOf(unsolicited, { requestId: undefined })).toBeUndefined();
    expect(refusalOf(sampleResponse(TARGET), { requestId: undefined })?.refused.check).toBe('request');
  });

  it('allows for clocks that differ by three minutes', () => {
    const at = (ms: number) => refusalOf(sampleResponse(TARGET, { now: TARGET.now + ms }))?.refused.check;

    expect([at(180_000), at(180_001)]).toEqual([undefined, 'time']);
    expect([at(-90_000), at(-90_001)]).toEqual([undefined, 'issue time']);
  });
});

const signedBy = (key: EcKey, method: Parameters<typeof signText>[3]) =>
  signText(sampleResponse(TARGET, { sign: 'none' }), '_response', ecKey(key), method);

describe('a signature with an elliptic curve', () => {
  it.each([
    ['p256', 'ecdsa-sha256'],
    ['p256', 'ecdsa-sha384'],
    ['p256', 'ecdsa-sha512'],
    ['p521', 'ecdsa-sha512'],
  ] as const)('of %s with %s is taken, and a changed content is not', (key, method) => {
    const xml = signedBy(key, { method });
    const certificates = [ecKey(key).certificate];

    expect(refusalOf(xml, { certificates })).toBeUndefined();
    const changed = xml.replaceAll('ada@acme.example', 'eve@acme.example');
    expect(refusalOf(changed, { certificates })?.refused.check).toBe('signature');
    const other = [ecKey(key === 'p256' ? 'p521' : 'p256').certificate];
    expect(refusalOf(xml, { certificates: other })?.refused.check).toBe('signature');
  });

  it('is refused if it is written as DER, or named after RSA', () => {
    const certificates = [ecKey('p256').certificate];
    const der = signedBy('p256', { method: 'ecdsa-sha256', dsaEncoding: 'der' });
    const misnamed = signedBy('p256', { method: 'rsa-sha256', dsaEncoding: 'der' });

    expect(refusalOf(der, { certificates })?.refused.check).toBe('signature');
    expect(refusalOf(misnamed, { certificates })?.refused.check).toBe('signature');
  });
});

describe('forms of a signature', () => {
  it('SHA-384 with RSA is taken', () => {
    const xml = signText(sampleResponse(TARGET, { sign: 'none' }), '_response', developmentKey('provider'), {
      method: 'rsa-sha384',
    });

    expect(refusalOf(xml)).toBeUndefined();
  });

  it('a digest of the text with all its namespaces is taken, and a changed content is not', () => {
    const transforms = [ENVELOPED];
    const xml = signText(sampleResponse(TARGET, { sign: 'none' }), '_response', developmentKey('provider'), {
      transforms,
    });

    expect(refusalOf(xml)).toBeUndefined();
    expect(refusalOf(xml.replaceAll('ada@acme', 'eve@acme'))?.refused.check).toBe('signature');
  });

  it.each([
    ['exclusive, with kept namespaces', EXCLUSIVE, ['xs', 'unused']],
    ['inclusive', INCLUSIVE, []],
  ])('of a library, %s, inside of a response with namespaces of its own', (_, form, prefixes) => {
    const plain = sampleResponse(TARGET, { sign: 'none' })
      .replace(
        '<samlp:Response ',
        '<samlp:Response xmlns:xs="urn:xs" xmlns:xsi="urn:xsi" xmlns="urn:default" ',
      )
      .replace(/<saml:AttributeValue>/g, '<saml:AttributeValue xsi:type="xs:string">');
    const signer = new SignedXml({
      privateKey: developmentKey('provider').privateKey.export({ type: 'pkcs8', format: 'pem' }),
      signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      canonicalizationAlgorithm: EXCLUSIVE,
    });
    signer.addReference({
      xpath: "//*[local-name(.)='Assertion']",
      digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
      transforms: [ENVELOPED, form],
      inclusiveNamespacesPrefixList: prefixes,
    });
    const location = { reference: "//*[local-name(.)='Assertion']/*[1]", action: 'after' as const };
    signer.computeSignature(plain, { location, prefix: 'ds' });
    const xml = signer.getSignedXml();

    expect(xml).toContain(form);
    expect(refusalOf(xml)?.message.includes('the transforms are not accepted')).toBe(
      form === EXCLUSIVE ? undefined : true,
    );
    expect(refusalOf(xml.replaceAll('ada@acme', 'eve@acme'))?.refused.check).toBe('signature');
  });
});

describe('a good assertion', () => {
  it('is remembered no longer than it can be used, however long it says it is good', () => {
    const century = sampleResponse(TARGET, { lifetime: 100 * 365 * 86_400_000 });

    expect(checkResponse(century, RULES).goodUntil).toBe(TARGET.now + 90_000);
  });

  it('was not issued in the future', () => {
    const xml = sampleResponse(TARGET, { sign: 'none' });
    const [assertion = ''] = /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml) ?? [];
    const later = assertion.replace(/IssueInstant="[^"]*"/, 'IssueInstant="2030-01-01T00:03:01Z"');
    const forged = xml.replace(assertion, signText(later, '_assertion', developmentKey('provider')));

    const refusal = refusalOf(forged);

    expect(refusal?.message).toContain('issued in the future: the clock of the provider may be ahead');
    expect(refusal?.refused.error).toBe('assertion_expired');
  });
});

describe('the time that a response takes', () => {
  const many = { user: { attributes: { groups: Array.from({ length: 4_800 }, (_, index) => `g${index}`) } } };

  it('is short for a large one that is good', () => {
    const xml = sampleResponse(TARGET, { ...many, sign: 'both' });
    const before = process.cpuUsage();

    const { attributes } = checkResponse(xml, RULES);

    expect(attributes['groups']).toHaveLength(4_800);
    // Of all threads of the process. A check whose time grows with the square of the values takes minutes.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000);
  });

  it('is shorter for one that a stranger has signed', () => {
    const good = sampleResponse(TARGET, { ...many, sign: 'both' });
    const forged = sampleResponse(TARGET, {
      ...many,
      sign: 'response',
      key: developmentKey('next_provider'),
    });
    const timeOf = (xml: string) => {
      const before = process.cpuUsage();
      refusalOf(xml);
      return process.cpuUsage(before).user;
    };
    // The first call compiles the code.
    timeOf(good);

    expect(refusalOf(forged)?.refused.check).toBe('signature');
    expect(timeOf(forged)).toBeLessThan(timeOf(good));
  });

  it('does not grow with the number of names', () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `<n${index}></n${index}>`);
    const xml = sampleResponse(TARGET).replace('<samlp:Status>', `${names.join('')}<samlp:Status>`);
    const before = process.cpuUsage();

    expect(refusalOf(xml)?.message).toContain('at most 200 names');
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(50);
  });
});
