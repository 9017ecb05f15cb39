import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readPosted, readRedirected, redirectAddress } from '../src/bindings.ts';
import { developmentKey } from '../src/development-keys.ts';
import { readAuthnRequest, readLogoutRequest, readLogoutResponse } from '../src/message-reading.ts';
import { providerMetadata, serviceMetadata } from '../src/metadata.ts';
import { readProviderMetadata } from '../src/metadata-reading.ts';
import { SamlRefusal } from '../src/refusal.ts';
import { authnRequest, logoutRequest, logoutResponse } from '../src/requests.ts';
import { isQuerySigned, signed } from '../src/signature.ts';
import { xmlText } from '../src/xml.ts';
import { otherTexts } from '../../../test/support/other-texts.ts';
import { sampleResponse } from '../../../test/support/saml.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const KEY = developmentKey('provider');
const HEAD = { id: '_1', now: NOW, issuer: 'https://idp.example', destination: 'http://localhost/slo' };
const TRUST = { certificates: [KEY.certificate], now: NOW, isSigned: false };

const refusalOf = (run: () => unknown): string => {
  try {
    run();
    return 'no refusal';
  } catch (thrown) {
    if (thrown instanceof SamlRefusal) return thrown.message;
    throw thrown;
  }
};

describe('a request to sign in', () => {
  const asked = authnRequest({
    ...HEAD,
    consumerUrl: 'http://localhost/acs?a=1&b="2"',
    nameIdFormat: 'TRANSIENT',
    forceAuthn: true,
  });

  it('comes out of the redirect binding as it went in', () => {
    const address = redirectAddress('https://idp.example/sso?tenant=1', {
      name: 'SAMLRequest',
      xml: xmlText(asked),
      relayState: 'req 1&2',
      key: KEY,
    });
    const { searchParams, search } = new URL(address);

    expect(readAuthnRequest(readRedirected('SAMLRequest', searchParams.get('SAMLRequest')!))).toEqual({
      id: '_1',
      issuer: 'https://idp.example',
      destination: 'http://localhost/slo',
      consumerUrl: 'http://localhost/acs?a=1&b="2"',
      nameIdFormat: 'TRANSIENT',
      isSigned: false,
    });
    expect([searchParams.get('tenant'), searchParams.get('RelayState')]).toEqual(['1', 'req 1&2']);
    const isSignedBy = (query: string, key: typeof KEY) =>
      isQuerySigned(query.slice(1), 'SAMLRequest', [key.certificate]);
    expect(isSignedBy(search, KEY)).toBe(true);
    expect(isSignedBy(search.replace('req%201', 'req%202'), KEY)).toBe(false);
    expect(isSignedBy(search, developmentKey('next_provider'))).toBe(false);
    expect(isSignedBy(search.replace(/&SigAlg=[^&]*/, ''), KEY)).toBe(false);
    const signature = searchParams.get('Signature')!;
    for (const other of otherTexts(signature))
      expect(isSignedBy(search.replace(/(?<=&Signature=)[^&]*/, encodeURIComponent(other)), KEY)).toBe(false);
  });

  it('is refused if it is something else, or broken', () => {
    const response = sampleResponse({ ...HEAD, consumerUrl: 'x', audience: 'x', requestId: '_' });

    expect(refusalOf(() => readAuthnRequest(response))).toMatch(
      /Expected samlp:AuthnRequest; received samlp:Response/,
    );
    expect(refusalOf(() => readAuthnRequest(xmlText(asked).replace('ID="_1"', '')))).toContain('has no ID');
    expect(
      refusalOf(() => readAuthnRequest(xmlText(asked).replace('Version="2.0"', 'Version="1.1"'))),
    ).toContain('AuthnRequest has another version of SAML');
    expect(refusalOf(() => readRedirected('SAMLRequest', undefined))).toContain('SAMLRequest is missing');
    expect(refusalOf(() => readRedirected('SAMLRequest', '%%%'))).toContain('not Base64');
    expect(refusalOf(() => readRedirected('SAMLRequest', 'AAAA'))).toContain('cannot be unpacked');
    expect(refusalOf(() => readPosted('SAMLResponse', '/w=='))).toContain('not text in UTF-8');
  });

  it('that unpacks to very much costs little', () => {
    const bomb = deflateRawSync(Buffer.alloc(50_000_000, 97)).toString('base64');
    const before = process.cpuUsage();

    const message = refusalOf(() => readRedirected('SAMLRequest', bomb));

    expect(message).toContain('at most 262144 bytes');
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(100);
  });
});

describe('messages about a sign-out', () => {
  const asked = logoutRequest({ ...HEAD, nameId: { value: 'ada@acme.example' }, sessionIndex: '_s' });
  const told = logoutResponse({ ...HEAD, inResponseTo: '_0', status: 'Success' });

  it('are read if they are signed, by themselves or by their query', () => {
    const read = { id: '_1', nameId: { value: 'ada@acme.example' }, sessionIndexes: ['_s'] };

    expect(readLogoutRequest(xmlText(signed(asked, KEY)), TRUST)).toMatchObject(read);
    expect(readLogoutRequest(xmlText(asked), { ...TRUST, isSigned: true })).toMatchObject(read);
    expect(readLogoutResponse(xmlText(signed(told, KEY)), TRUST)).toMatchObject({
      inResponseTo: '_0',
      statusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    });
  });

  it('are refused without a good signature', () => {
    const foreign = xmlText(signed(asked, developmentKey('next_provider')));

    expect(refusalOf(() => readLogoutRequest(xmlText(asked), TRUST))).toContain('a signature is missing');
    expect(refusalOf(() => readLogoutRequest(foreign, TRUST))).toContain('no certificate of the connection');
    expect(refusalOf(() => readLogoutResponse(xmlText(told), TRUST))).toContain('a signature is missing');
  });
});

describe('metadata', () => {
  const provider = providerMetadata({
    entityId: 'https://idp.example',
    signOnUrl: 'https://idp.example/sso',
    logoutUrl: 'https://idp.example/slo',
    certificates: [KEY.certificate, developmentKey('next_provider').certificate],
    now: NOW,
  });

  it('of a provider is read as it was written', () => {
    expect(readProviderMetadata(provider)).toEqual({
      entityId: 'https://idp.example',
      signOn: { HTTP_REDIRECT: 'https://idp.example/sso', HTTP_POST: 'https://idp.example/sso' },
      logoutUrl: 'https://idp.example/slo',
      certificates: [KEY.certificate, developmentKey('next_provider').certificate],
    });
  });

  it('of a provider is found in a list, between comments', () => {
    const [, entity] = provider.split('?>\n');
    const list = `<!-- a --><m:EntitiesDescriptor xmlns:m="urn:oasis:names:tc:SAML:2.0:metadata"><!-- b -->${entity}</m:EntitiesDescriptor>`;

    expect(readProviderMetadata(list).entityId).toBe('https://idp.example');
  });

  it('of a service has its keys and addresses', () => {
    const written = serviceMetadata({
      entityId: 'urn:sp',
      consumerUrl: 'http://localhost/acs',
      logoutUrl: 'http://localhost/slo',
      certificate: KEY.certificate,
      signsRequests: true,
      wantsAssertionsSigned: true,
      nameIdFormat: 'EMAIL',
      now: NOW,
    });

    expect(written).toContain('entityID="urn:sp" validUntil="2030-01-03T00:00:00.000Z"');
    expect(written).toContain('AuthnRequestsSigned="true"');
    expect(written.match(/<md:KeyDescriptor use="(signing|encryption)">/g)).toHaveLength(2);
    expect(refusalOf(() => readProviderMetadata(written))).toContain('describes no identity provider');
  });

  it.each([
    [
      'without certificates',
      provider.replaceAll(/<md:KeyDescriptor.*?<\/md:KeyDescriptor>/g, ''),
      'no certificate',
    ],
    [
      'with a broken certificate',
      provider.replace(/<ds:X509Certificate>[^<]*/, '<ds:X509Certificate>AAAA'),
      'cannot be read',
    ],
    ['without a name', provider.replace(/ entityID="[^"]*"/, ''), 'no entityID'],
    ['that is a page', '<html></html>', 'this is no metadata'],
    ['with a document type', `<!DOCTYPE x>${provider}`, 'not allowed'],
  ])('%s is refused', (_, xml, problem) => {
    expect(refusalOf(() => readProviderMetadata(xml))).toContain(problem);
  });
});

describe('an encrypted assertion', () => {
  it('is the same for the same drawn bytes', () => {
    const target = { ...HEAD, consumerUrl: 'x', audience: 'x', requestId: '_' };
    const encryptFor = developmentKey('service').certificate;

    const [one, two] = [1, 2].map(() => sampleResponse(target, { encryptFor }));

    expect(one).toContain('<saml:EncryptedAssertion');
    expect(one).toBe(two);
  });
});
