import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';
import { atProvider, patchRow, rowsOf } from '../../../../test/support/sso.ts';
import { OKTA } from '../../../../test/support/fixture-ids.ts';

const MAPPING = { email: 'email', department: 'dept', roles: 'roles' };

describe('the page of an identity provider', () => {
  it('passes on the attributes of the attribute mapping', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'connections', OKTA, { attribute_mapping: MAPPING });

    const page = await atProvider(booted);
    const attributes = 'dept = finance\n\nroles=owner\nfloor=3';
    await page.submit({ email: 'ada@acme.example', given_name: 'Ada', attributes }, 'id="email"');

    expect(page.text).toContain('The connection takes dept.');
    const [transaction] = await rowsOf(booted.control, 'login_transactions');
    expect(transaction!['identity']).toEqual({
      connection_id: OKTA,
      subject: 'ada@acme.example',
      email: 'ada@acme.example',
      email_verified: true,
      attributes: { department: 'finance', given_name: 'Ada' },
    });
  });

  it.each([
    [{ email: 'ada' }, 'Enter an e-mail address'],
    [{ email: 'ada@acme.example', attributes: 'dept=x\nno pair' }, 'Line 2 is not written as name=value.'],
    [{ error: 'no error!' }, 'Use letters, digits and underscores.'],
  ])('shows what is wrong with %o and keeps the entered values', async (filled, problem) => {
    const booted = await boot();

    const again = await (await atProvider(booted)).submit(filled, 'id="email"');

    expect(again.status).toBe(400);
    expect(again.text).toContain(problem);
    expect((await rowsOf(booted.control, 'login_transactions'))[0]).toMatchObject({ status: 'PENDING' });
  });

  it('can answer with a chosen error', async () => {
    const booted = await boot();

    const page = await atProvider(booted);
    const error_description = 'the assertion is 10 minutes old';
    const back = await page.submit({ error: 'assertion_expired', error_description }, 'id="error"');

    expect(Object.fromEntries(new URL(back.url).searchParams)).toEqual({
      error: 'assertion_expired',
      error_description,
      state: 's1',
      iss: 'http://localhost:8080',
    });
  });

  it('can deny the sign-in', async () => {
    const booted = await boot();

    const back = await (await atProvider(booted)).submit({}, 'Deny');

    expect(back.query('error')).toBe('access_denied');
    expect(back.query('code')).toBeNull();
    const log = await booted.api.get('/api/v1/logs/authentication/requests?page_size=1').expect(200);
    expect(log.body.authRequests[0]).toMatchObject({
      status: 'FAILED',
      connection_id: OKTA,
      workflow: 'SSO',
    });
  });

  it('escapes the entered values', async () => {
    const booted = await boot();
    const page = await atProvider(booted);
    const markup = '"><script>alert(1)</script>';

    const again = await page.submit(
      { email: markup, given_name: markup, attributes: `</textarea>${markup}` },
      'id="email"',
    );

    expect(again.status).toBe(400);
    expect(again.text).not.toContain('<script>');
  });
});

describe('the test page of a connection', () => {
  const TEST = `/sso/v1/oidc/${OKTA}/test`;

  it('shows the attributes that an application would get and stores only the result', async () => {
    const booted = await boot();
    await patchRow(booted.control, 'connections', OKTA, { attribute_mapping: MAPPING });
    const { body: before } = await booted.control.get('/state').expect(200);

    const page = await new Browser(booted).open(TEST);
    const attributes = 'dept=finance\nfloor=3';
    const result = await page.submit({ email: 'ada@acme.example', attributes }, 'id="email"');

    expect(page.status).toBe(200);
    expect(result.text).toContain('The connection works');
    expect(result.text).toMatch(/<dt>department<\/dt>\s*<dd>finance<\/dd>/);
    expect(result.text).not.toContain('floor');
    const { body: after } = await booted.control.get('/state').expect(200);
    for (const connection of after.connections) delete connection.tests;
    expect(after).toEqual(before);
  });

  it('shows an error', async () => {
    const page = await new Browser(await boot()).open(TEST);

    const result = await page.submit({}, 'Deny');

    expect(result.text).toContain('Nobody was signed in');
    expect(result.text).toContain('access_denied');
  });

  it('has the address in test_connection_uri', async () => {
    const { api } = await boot();
    const { body } = await api
      .get(`/api/v1/organizations/org_10000000000000001/connections/${OKTA}`)
      .expect(200);

    expect(body.connection.test_connection_uri).toContain(TEST);
  });
});
