import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../test/support/boot.ts';
import { portalCookie } from '../../../test/support/portal.ts';
import { tokensOf } from '../../../test/operations/oauth-support.ts';
import { OKTA } from '../../../test/support/fixture-ids.ts';

const RESULT = `/api/v1/connections/${OKTA}/test-requests`;
const PAGE = `/sso/v1/oidc/${OKTA}/test`;

/** Opens the test page, and returns what sends its form and the id of the test. */
async function openTest({ anonymous }: Booted) {
  const { text } = await anonymous.get(PAGE).expect(200);
  const [, action = ''] = /action="([^"]*test_request_id=[^"]*)"/.exec(text) ?? [];
  const [, csrf_token] = /name="csrf_token" value="([^"]+)"/.exec(text) ?? [];
  const send = (form: object) =>
    anonymous
      .post(action)
      .type('form')
      .send({ csrf_token, ...form });
  return { send, id: new URL(action, 'http://localhost').searchParams.get('test_request_id')! };
}

describe('ConnectionService_GetConnectionTestResult', () => {
  it('is pending until the provider answers, and then shows what it said', async () => {
    const booted = await boot();
    const { send, id } = await openTest(booted);

    await booted.api.get(`${RESULT}/${id}`).expect(200, { status: 'PENDING' });
    const form = { email: 'Ada@acme.example', given_name: 'Ada' };
    const page = await send(form).expect(200);

    expect(page.text).toContain(id);
    const { body } = await booted.api.get(`${RESULT}/${id}`).expect(200);
    expect(body.status).toBe('SUCCESS');
    expect(JSON.parse(body.user_info)).toEqual({
      subject: 'ada@acme.example',
      email: 'Ada@acme.example',
      given_name: 'Ada',
    });
  });

  it('shows why the provider refused', async () => {
    const booted = await boot();
    const { send, id } = await openTest(booted);

    const form = { error: 'access_denied', error_description: 'Not today' };
    await send(form).expect(200);

    await booted.api
      .get(`${RESULT}/${id}`)
      .expect(200, { status: 'FAILURE', error: 'access_denied', error_description: 'Not today' });
  });

  it('stays pending after a form with a mistake', async () => {
    const booted = await boot();
    const { send, id } = await openTest(booted);

    await send({ email: 'ada' }).expect(400);

    await booted.api.get(`${RESULT}/${id}`).expect(200, { status: 'PENDING' });
  });

  it('keeps a result: a form that is sent again starts a test of its own', async () => {
    const booted = await boot();
    const { send, id } = await openTest(booted);
    await send({ email: 'ada@acme.example' }).expect(200);

    await send({ error: 'access_denied' }).expect(200);

    const { body } = await booted.api.get(`${RESULT}/${id}`).expect(200);
    expect(body.status).toBe('SUCCESS');
    const { tests } = (await booted.control.get(`/state/connections/${OKTA}`).expect(200)).body;
    expect(tests.map(({ status }: { status: string }) => status)).toEqual(['SUCCESS', 'FAILURE']);
  });

  it.each([
    ['another token', { csrf_token: 'UnderstudyNotThePagesOwnToken000' }],
    ['no token', { csrf_token: undefined }],
  ])('stays pending after a form with %s', async (_, forged) => {
    const booted = await boot();
    const { send, id } = await openTest(booted);

    const refused = await send({ email: 'ada@acme.example', ...forged }).expect(400);

    expect(refused.text).toMatch(/form was not sent from its page/);
    await booted.api.get(`${RESULT}/${id}`).expect(200, { status: 'PENDING' });
  });

  it('knows the latest ten tests of the connection', async () => {
    const booted = await boot();
    const { id } = await openTest(booted);
    for (let count = 0; count < 9; count += 1) await openTest(booted);
    await booted.api.get(`${RESULT}/${id}`).expect(200);

    await openTest(booted);

    const { body } = await booted.api.get(`${RESULT}/${id}`).expect(404);
    expect(body.message).toBe(`connection test ${id} not found`);
    await booted.api.get(`/api/v1/connections/conn_10000000000000252/test-requests/${id}`).expect(404);
  });
});

describe('the context of a connection', () => {
  const OF_ACME = `/api/v1/organizations/org_10000000000000001/connections/${OKTA}/contexts`;
  const OF_ENVIRONMENT = '/api/v1/connections/conn_10000000000000202/contexts';

  it('is stored for users of the organization, under both addresses', async () => {
    const booted = await boot();
    const token = { authorization: `Bearer ${(await tokensOf(booted)).access_token}` };

    await booted.anonymous.get(OF_ACME).set(token).expect(200, { context: {} });
    await booted.anonymous.put(OF_ACME).set(token).send({ step: 2 }).expect(200, {});

    const other = `/api/v1/connections/${OKTA}/contexts`;
    await booted.anonymous
      .get(other)
      .set(token)
      .expect(200, { context: { step: 2 } });
    await booted.anonymous.put(other).set(token).send({ step: 3 }).expect(200, {});
    await booted.anonymous
      .get(OF_ACME)
      .set(token)
      .expect(200, { context: { step: 3 } });
    expect((await booted.api.get(OF_ACME.replace('/contexts', ''))).body.connection).not.toHaveProperty(
      'context',
    );
  });

  it('is closed to clients, other organizations and, for the environment, to writers', async () => {
    const booted = await boot();
    const token = { authorization: `Bearer ${(await tokensOf(booted)).access_token}` };
    const cookie = await portalCookie(booted);

    await booted.api.get(OF_ACME).expect(403);
    await booted.anonymous.get(OF_ACME).expect(401);
    await booted.anonymous.get(OF_ACME).set({ cookie }).expect(403);
    await booted.anonymous.put(OF_ACME).set({ cookie }).send({}).expect(403);
    await booted.anonymous.get(OF_ACME.replace('org_1', 'org_2')).set(token).expect(404);
    await booted.anonymous.get(OF_ENVIRONMENT).set(token).expect(200, { context: {} });
    await booted.anonymous.put(OF_ENVIRONMENT).set(token).send({ step: 1 }).expect(403);
  });
});
