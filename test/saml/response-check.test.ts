import { describe, expect, it } from 'vitest';
import { developmentKey } from '../../src/saml/development-keys.ts';
import { SamlRefusal } from '../../src/saml/refusal.ts';
import { checkResponse, type ResponseRules } from '../../src/saml/response-check.ts';
import { honestSamples, hostileSamples, sampleResponse, type SampleTarget } from '../support/saml.ts';

const TARGET: SampleTarget = {
  now: Date.parse('2030-01-01T00:00:00Z'),
  issuer: 'https://idp.example/metadata',
  consumerUrl: 'http://localhost:8080/sso/v1/saml/conn_1/callback',
  audience: 'http://localhost:8080/sso/v1/saml/conn_1',
  requestId: '_request',
};

const SERVICE = developmentKey('service');

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
