import { describe, expect, it } from 'vitest';
import { developmentKey, type DevelopmentKey } from '../../../saml/src/development-keys.ts';
import { providerMetadata } from '../../../saml/src/metadata.ts';
import { readAuthnRequest } from '../../../saml/src/message-reading.ts';
import { readRedirected } from '../../../saml/src/bindings.ts';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';
import { receiver } from '../../../../test/support/receiver.ts';
import { sampleResponse } from '../../../../test/support/saml.ts';
import { enable, NINA, NORDWIND, postResponse, SERVICE } from '../../../../test/support/saml-sign-in.ts';
import { AUTHORIZE, CALLBACK } from '../../../../test/support/sso.ts';

const NOW = '2030-01-01T00:00:00Z';
const ENTITY = 'https://real.example/metadata';
const CODE = new RegExp(`^${CALLBACK}\\?code=`);

const metadataOf = (...keys: DevelopmentKey[]) =>
  providerMetadata({
    entityId: ENTITY,
    signOnUrl: 'https://real.example/sso?tenant=7',
    certificates: keys.map((key) => developmentKey(key).certificate),
    now: Date.parse(NOW),
  });

/** A connection to a provider whose metadata a server of the test has. */
async function connected(...keys: DevelopmentKey[]) {
  const booted = await boot({ now: NOW });
  const server = await receiver();
  const serve = (...now: DevelopmentKey[]) =>
    server.answers((response) => response.setHeader('content-type', 'text/xml').end(metadataOf(...now)));
  serve(...keys);
  const saml_config = { idp_metadata_url: `${server.url}/metadata`, idp_entity_id: null };
  await enable(booted, { saml_config, attribute_mapping: { email: 'email' } });
  return { booted, server, serve };
}

async function begin(booted: Booted) {
  const browser = new Browser(booted);
  const visit = await browser.open(`${AUTHORIZE}&connection_id=${NORDWIND}`);
  return { browser, visit, id: visit.query('RelayState') ?? '' };
}

async function signIn(booted: Booted, key: DevelopmentKey) {
  const { browser, visit, id } = await begin(booted);
  const { id: requestId } = readAuthnRequest(readRedirected('SAMLRequest', visit.query('SAMLRequest') ?? ''));
  const target = { issuer: ENTITY, consumerUrl: `${SERVICE}/callback`, audience: SERVICE, requestId };
  const { body: clock } = await booted.control.get('/clock').expect(200);
  const xml = sampleResponse(
    { ...target, now: Date.parse(clock.now) },
    {
      ids: [`_r${requestId}`, `_a${requestId}`],
      sign: 'response',
      key: developmentKey(key),
      user: { nameId: NINA, attributes: { email: [NINA] } },
    },
  );
  return postResponse({ browser, id }, xml);
}

describe('a provider with metadata of its own', () => {
  it('gets the request, and its response is taken', async () => {
    const { booted, server } = await connected('next_provider');

    const { visit } = await begin(booted);
    const back = await signIn(booted, 'next_provider');
    const stranger = await signIn(booted, 'provider');

    expect(visit.url).toMatch(/^https:\/\/real\.example\/sso\?tenant=7&SAMLRequest=/);
    expect(back.url).toMatch(CODE);
    expect(stranger.query('error')).toBe('signature_validation_failed');
    expect(server.received).toHaveLength(1);
    const { body } = await booted.control
      .get('/requests?operation=IdentityProvider_Start&limit=5')
      .expect(200);
    const notes = (body.requests as { notes: string[] }[]).flatMap((each) => each.notes);
    expect(notes).toContain(`read the metadata of ${ENTITY}: 1 certificates for signing`);
  });

  it('is asked for its metadata again after an hour, so that a new certificate is taken', async () => {
    const { booted, server, serve } = await connected('provider');
    await signIn(booted, 'provider');
    serve('provider', 'next_provider');

    const early = await signIn(booted, 'next_provider');
    await booted.control.post('/clock/advance').send({ by: '1h' }).expect(200);
    const late = await signIn(booted, 'next_provider');
    const old = await signIn(booted, 'provider');

    expect(early.query('error')).toBe('signature_validation_failed');
    expect([late.url, old.url]).toEqual([expect.stringMatching(CODE), expect.stringMatching(CODE)]);
    expect(server.received).toHaveLength(2);
  });

  it('is not asked again for a minute after a failure', async () => {
    const { booted, server, serve } = await connected('provider');
    server.answers((response) => response.writeHead(503).end());

    const first = (await begin(booted)).visit;
    const second = (await begin(booted)).visit;
    expect(server.received).toHaveLength(1);
    serve('provider');
    await booted.control.post('/clock/advance').send({ by: '1m' }).expect(200);
    const third = await signIn(booted, 'provider');

    expect(first.query('error_description')).toContain('received status 503');
    expect(second.query('error_description')).toContain(
      'could not be read at 2030-01-01T00:00:00.000Z, and is not read again before 2030-01-01T00:01:00.000Z',
    );
    expect(second.query('error_description')).toContain('status 503');
    expect(third.url).toMatch(CODE);
    expect(server.received).toHaveLength(2);
    const { body } = await booted.control.get(`/state/connections/${NORDWIND}`).expect(200);
    expect(body).not.toHaveProperty('saml_metadata_failure');
  });

  it('keeps its old metadata while the new ones cannot be read', async () => {
    const { booted, server } = await connected('provider');
    await signIn(booted, 'provider');
    server.answers((response) => response.writeHead(500).end());
    await booted.control.post('/clock/advance').send({ by: '2h' }).expect(200);

    const back = await signIn(booted, 'provider');

    expect(back.url).toMatch(CODE);
    // Once for the request, and not again for the response.
    expect(server.received).toHaveLength(2);
    const { body } = await booted.control
      .get('/requests?operation=IdentityProvider_Start&limit=1')
      .expect(200);
    expect(body.requests[0].notes).toContainEqual(
      expect.stringMatching(/^the metadata of .* as read at 2030-01-01T00:00:00.000Z counts: .*status 500/),
    );
  });

  it.each([
    ['cannot be reached', { idp_metadata_url: 'http://127.0.0.1:1/metadata' }, 'cannot be reached'],
    ['is elsewhere', { idp_metadata_url: 'http://203.0.113.7/metadata' }, '203.0.113.7'],
  ])('fails the sign-in if it %s', async (_, saml_config, problem) => {
    const booted = await boot({ now: NOW, webhookAllow: ['app.example'] });
    await enable(booted, { simulated_provider: false, saml_config });

    const { visit } = await begin(booted);

    expect(visit.query('error')).toBe('invalid_saml_metadata');
    expect(visit.query('error_description')).toContain(problem);
  });

  it('fails the sign-in if its metadata is something else', async () => {
    const { booted, server } = await connected('provider');
    server.answers((response) => response.end('<html><body>Sign in first</body></html>'));

    const { visit } = await begin(booted);

    expect(visit.query('error_description')).toContain('this is no metadata');
  });
});

describe('a provider without metadata', () => {
  const manual = (changes: object) => ({
    simulated_provider: false,
    attribute_mapping: { email: 'email' },
    saml_config: {
      idp_entity_id: ENTITY,
      idp_sso_url: 'https://real.example/sso',
      idp_certificates: (['provider', 'next_provider'] as const).map((key, index) => ({
        certificate: developmentKey(key).certificate,
        create_time: NOW,
        expiry_time: NOW,
        id: `cert_${index}`,
        issuer: 'CN=Real',
      })),
      ...changes,
    },
  });

  it('is trusted by each certificate of the connection', async () => {
    const booted = await boot({ now: NOW });
    await enable(booted, manual({}));

    for (const key of ['provider', 'next_provider'] as const)
      expect((await signIn(booted, key)).url).toMatch(CODE);
  });

  it('fails the sign-in if the connection does not know its address', async () => {
    const booted = await boot({ now: NOW });
    await enable(booted, manual({ idp_sso_url: '' }));

    const { visit } = await begin(booted);

    expect(visit.query('error')).toBe('invalid_saml_metadata');
    expect(visit.query('error_description')).toContain('idp_sso_url');
  });
});
