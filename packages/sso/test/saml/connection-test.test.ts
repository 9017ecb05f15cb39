import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { Browser, type Visit } from '../../../../test/support/browser.ts';
import { receiver } from '../../../../test/support/receiver.ts';
import { enable, NINA, NORDWIND, notesOf, xmlOf } from '../../../../test/support/saml-sign-in.ts';
import { patchRow } from '../../../../test/support/sso.ts';

const NOW = '2030-01-01T00:00:00Z';
const TEST = `/sso/v1/saml/${NORDWIND}/test`;

const testsOf = async ({ control }: Booted): Promise<{ id: string; status: string }[]> =>
  (await control.get(`/state/connections/${NORDWIND}`).expect(200)).body.tests;

const resultOf = async (booted: Booted) => {
  const { id } = (await testsOf(booted)).at(-1)!;
  return (await booted.api.get(`/api/v1/connections/${NORDWIND}/test-requests/${id}`).expect(200)).body;
};

/** Opens the test page, which leads to the provider, and signs Nina in there. */
async function atProvider(booted: Booted, form: object = { email: NINA, given_name: 'Nina' }) {
  const page = await new Browser(booted).open(TEST);
  return page.submit({ ...form }, 'id="email"');
}

describe('the test of a SAML connection', () => {
  it('goes to the provider with a request, and checks its response', async () => {
    const booted = await boot({ now: NOW });

    const posting = await atProvider(booted);
    const [pending] = await testsOf(booted);
    const xml = xmlOf(posting);
    const page = await posting.submit();

    expect(pending).toMatchObject({ status: 'PENDING', saml_request_id: expect.stringMatching(/^id-/) });
    expect(xml).toContain(
      `InResponseTo="${(pending as unknown as { saml_request_id: string }).saml_request_id}"`,
    );
    expect(xml).toContain('<ds:SignatureValue>');
    expect(page.text).toContain('The connection works');
    expect(page.text).toContain(NINA);
    const result = await resultOf(booted);
    expect(result).toEqual({ status: 'SUCCESS', user_info: expect.any(String) });
    expect(JSON.parse(result.user_info)).toMatchObject({ email: NINA, given_name: 'Nina' });
    const { body } = await booted.control.get('/state/sessions').expect(200);
    const since = body.rows.filter((row: { created_at: string }) => row.created_at >= NOW);
    expect(since).toEqual([]);
  });

  it.each([
    ['saml-unsigned', 'signature_validation_failed', 'a signature is missing'],
    ['saml-certificate-expired', 'signature_validation_failed', 'is not valid at this time'],
    ['saml-clock-ahead', 'assertion_expired', 'may be ahead'],
    ['saml-wrong-audience', 'invalid_saml_response', 'is for another service'],
  ])('fails with %s as a sign-in does', async (scenario, error, problem) => {
    const booted = await boot({ now: NOW });
    await booted.control.post('/scenarios').send({ name: scenario }).expect(201);

    const page = await (await atProvider(booted)).submit();

    expect(page.text).toContain('Nobody was signed in');
    expect(page.text).toContain(problem);
    expect(await resultOf(booted)).toMatchObject({ status: 'FAILURE', error });
    expect(await notesOf(booted, 'IdentityProvider_ReturnSaml')).toContainEqual(
      expect.stringContaining('refused: SAML'),
    );
  });

  it('shows the error that a user chooses at the provider', async () => {
    const booted = await boot({ now: NOW });
    const page = await new Browser(booted).open(TEST);

    const result = await (await page.submit({}, 'Deny')).submit();

    expect(result.text).toContain('access_denied');
    expect(await resultOf(booted)).toMatchObject({ status: 'FAILURE', error: 'access_denied' });
  });

  it('takes a response once, and keeps the first result', async () => {
    const booted = await boot({ now: NOW });
    const posting: Visit = await atProvider(booted);
    await posting.submit();

    const again = await posting.submit();

    expect(again.text).toContain('this answers another request');
    expect((await testsOf(booted)).map(({ status }) => status)).toEqual(['SUCCESS', 'FAILURE']);
  });

  it('goes to a real provider, and says if its metadata cannot be read', async () => {
    const booted = await boot({ now: NOW });
    const server = await receiver((response) => response.writeHead(503).end());
    await enable(booted, {
      saml_config: { idp_metadata_url: `${server.url}/metadata`, idp_entity_id: null },
    });

    const page = await new Browser(booted).open(TEST);

    expect(page.text).toContain('invalid_saml_metadata');
    expect(await resultOf(booted)).toMatchObject({ status: 'FAILURE', error: 'invalid_saml_metadata' });
    const manual = { idp_metadata_url: null, idp_sso_url: 'https://real.example/sso' };
    await patchRow(booted.control, 'connections', NORDWIND, {
      simulated_provider: false,
      saml_config: manual,
    });
    const visit = await new Browser(booted).open(TEST);
    expect(visit.url).toMatch(/^https:\/\/real\.example\/sso\?SAMLRequest=.*&RelayState=test_\d+$/);
  });
});
