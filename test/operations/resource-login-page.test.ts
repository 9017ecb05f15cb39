import { describe, expect, it } from 'vitest';
import { bootOnce, type Agent } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';
import { ADA, askToken, authorizeUrl, claimsOf, exchange, registered } from '../support/resources.ts';
import { TASK_SERVER } from '../support/fixture-ids.ts';

const { fresh } = bootOnce();

const PAGE = 'https://desk.example.com/login';

/** A sign-in for the resource in a browser that was sent to the resource's own login page. */
async function atLoginPage() {
  const booted = await fresh();
  const { api, own } = booted;
  const path = `/api/v1/resources/${TASK_SERVER}`;
  const custom_connection_settings = { authorize_uri: PAGE };
  const { body } = await api.patch(path).send({ custom_connection_settings }).expect(200);
  const connection = body.resource.connection_details.id as string;
  const resource = `${own.name}.${TASK_SERVER}`;
  const { client_id } = await registered(booted, resource);
  const browser = new Browser(booted);
  const page = await browser.open(authorizeUrl(resource, { client_id, scope: 'todo:read' }));
  const user = `/api/v1/connections/${connection}/auth-requests/${page.query('login_request_id')}/user`;
  const back = () =>
    browser.open(`/sso/v1/connections/${connection}/partner:callback?state=${page.query('state')}`);
  return { booted, resource, client_id, page, back, report: (who: object) => api.post(user).send(who) };
}

it('a resource with a login page of its own sends users there, and then asks for consent', async () => {
  const { booted, resource, client_id, page, back, report } = await atLoginPage();

  await report({ sub: 'desk-1', email: ADA.email }).expect(200);
  const consent = await back();
  const done = await consent.submit({ decision: 'allow' });
  const { body } = await askToken(
    booted.anonymous,
    resource,
    exchange(client_id, done.query('code')!),
  ).expect(200);

  expect(page.url).toMatch(/^https:\/\/desk\.example\.com\/login\?login_request_id=lri_\d+&state=/);
  expect(consent.text).toContain('Requested access');
  expect(claimsOf(body.access_token)).toMatchObject({
    sub: ADA.id,
    resid: TASK_SERVER,
    scopes: ['todo:read'],
  });
});

it('a failure at the login page of a resource reaches the client', async () => {
  const { page, back, report } = await atLoginPage();

  await report({ login_failed: true }).expect(200);
  const failed = await back();

  expect(page.url).toContain(PAGE);
  expect(failed.query('error')).toBe('authentication_not_completed');
});

describe('AuthService_GetLoginRequestDetails', () => {
  const details = ({ api }: { api: Agent }, id: string | null) => api.get(`/api/v1/auth-requests/${id}`);

  it('says which client asks for what, also after the answer', async () => {
    const { booted, client_id, page, report } = await atLoginPage();
    const id = page.query('login_request_id');

    const { body } = await details(booted, id).expect(200);
    await report({ sub: 'desk-1', email: ADA.email }).expect(200);

    expect(body).toEqual({
      auth_request: { id: expect.stringMatching(/^req_\d+$/), scopes: ['todo:read'] },
      client: {
        client_id,
        sk_client_id: client_id,
        client_name: 'Laptop agent',
        is_dcr: true,
        is_cimd: false,
      },
      resource: { id: TASK_SERVER, name: expect.any(String) },
    });
    expect((await details(booted, id).expect(200)).body).toEqual(body);
  });

  it('is refused for an unknown id, and fifteen minutes after the start', async () => {
    const { booted, page } = await atLoginPage();
    const id = page.query('login_request_id');

    await details(booted, 'lri_1').expect(400);
    await details(booted, 'req_1').expect(400);
    await booted.control.post('/clock/advance').send({ by: '14m' }).expect(200);
    await details(booted, id).expect(200);
    await booted.control.post('/clock/advance').send({ by: '1m' }).expect(200);
    const { body } = await details(booted, id).expect(400);

    expect(body.message).toBe(`login request ${id} is unknown or has expired`);
  });

  it('gets 404 once the client is gone', async () => {
    const { booted, client_id, page } = await atLoginPage();
    await booted.control.delete(`/state/clients/${client_id}`).expect(204);

    await details(booted, page.query('login_request_id')).expect(404);
  });
});
