import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { callRpc, grpcTo, METHODS, openFor } from '../../../../test/server/grpc/support.ts';
import { agentWith, boot, type Booted } from '../../../../test/support/boot.ts';
import { tokensOf, verified } from '../../../../test/operations/oauth-support.ts';
import { ADA } from '../../../../test/support/fixture-ids.ts';

const GMAIL = 'conn_10000000000000201';
const MINE = { identifier: 'Ada@acme.example', connection_id: GMAIL };

/** An agent of Ada, and an account row that she may or may not own. */
async function asAda(booted: Booted) {
  const { access_token } = await tokensOf(booted);
  return { ada: agentWith(booted.anonymous, access_token), access_token };
}

async function putAccount({ control }: Booted, row: object) {
  const id = 'ca_20000000000000001';
  const { body: usual } = await control.get('/state/connected_accounts/ca_10000000000000301').expect(200);
  const { id: _, ...rest } = usual;
  await control
    .put(`/state/connected_accounts/${id}`)
    .send({ ...rest, ...row })
    .expect(200);
  return id;
}

async function mine({ control }: Booted): Promise<unknown[]> {
  const { body } = await control.get('/state').expect(200);
  const rows = body.connected_accounts as { user_id?: string; connection_id: string }[];
  return rows.filter(({ user_id, connection_id }) => user_id === ADA && connection_id === GMAIL);
}

type Entry = { connection_name: string; user_status: string; connected_account_id: string };

describe('the connected accounts of a signed-in user', () => {
  it('are listed for each connection with their state', async () => {
    const booted = await boot();
    const { ada } = await asAda(booted);
    const id = await putAccount(booted, { ...MINE, status: 'ACTIVE' });
    const states: string[] = [];

    for (const status of ['ACTIVE', 'EXPIRED', 'PENDING_AUTH', 'PENDING_VERIFICATION', 'DISCONNECTED']) {
      await booted.control.patch(`/state/connected_accounts/${id}`).send({ status }).expect(200);
      const { body } = await ada.get('/api/v1/my-app-connections').expect(200);
      const entry = body.connections.find((each: Entry) => each.connection_name === 'gmail');
      expect(entry).toMatchObject({ connection_id: GMAIL, provider: 'GMAIL', enabled: true });
      expect(entry.connected_account_id).toBe(id);
      states.push(entry.user_status);
    }

    expect(states).toEqual(['CONNECTED', 'EXPIRED', 'PENDING_AUTH', 'PENDING_VERIFICATION', 'DISCONNECTED']);
  });

  it('are not those of others with the same identifier', async () => {
    const booted = await boot();
    const { ada } = await asAda(booted);
    const id = await putAccount(booted, { ...MINE, user_id: 'usr_10000000000000102' });

    const { body } = await ada.get('/api/v1/my-app-connections').expect(200);
    const refused = await ada.post(`/api/v1/my-connected-accounts/${id}:disconnect`).expect(403);

    expect(body.connections.find((each: Entry) => each.connection_name === 'gmail')).toMatchObject({
      user_status: 'NOT_CONNECTED',
      connected_account_id: '',
    });
    expect(refused.body.message).toBe(`connected account ${id} belongs to somebody else`);
  });

  it('are created with a link, which opens', async () => {
    const booted = await boot();
    const { ada } = await asAda(booted);

    const { body, headers } = await ada.post('/api/v1/my-app-connections/gmail:magic-link').expect(200);

    expect(headers['cache-control']).toBe('no-store');
    await booted.anonymous.get(new URL(body.link).pathname).expect(302);
    expect(await mine(booted)).toMatchObject([
      { identifier: 'ada@acme.example', connection_id: GMAIL, status: 'PENDING_AUTH' },
    ]);
    await ada.post('/api/v1/my-app-connections/gmail:magic-link').expect(200);
    expect(await mine(booted)).toHaveLength(1);
    await ada.post('/api/v1/my-app-connections/nowhere:magic-link').expect(404);
  });

  it('can be disconnected: tools do not run any more', async () => {
    const booted = await boot();
    const { ada } = await asAda(booted);
    const id = await putAccount(booted, { ...MINE, status: 'ACTIVE' });

    const { body } = await ada.post(`/api/v1/my-connected-accounts/${id}:disconnect`).expect(200);

    expect(body.connected_account).toMatchObject({ id, status: 'DISCONNECTED' });
    const run = { tool_name: 'gmail_fetch_mails', connected_account_id: id, params: {} };
    await booted.api.post('/api/v1/execute_tool').send(run).expect(400);
    await ada.post('/api/v1/my-connected-accounts/ca_9:disconnect').expect(404);
  });

  it('end at the address of the settings', async () => {
    const booted = await boot();
    const { ada } = await asAda(booted);
    const path = '/api/v1/connected_accounts/portal/redirect_url';

    const { body } = await ada.get(path).expect(200);
    expect(new URL(body.redirect_url).pathname).toBe('/connect/success');
    const own = { post_user_verify_redirect_url: 'https://desk.example.com/done' };
    await booted.control.patch('/state/settings/settings').send(own).expect(200);
    await ada.get(path).expect(200, { redirect_url: 'https://desk.example.com/done' });
  });

  it('ask for the scopes that the user picks, if the connection allows that', async () => {
    const booted = await boot();
    const { ada } = await asAda(booted);
    const path = '/api/v1/connected_accounts/portal/redirect_url';
    const { body: made } = await booted.api
      .post('/api/v1/connections?flags.is_app=true')
      .send({ provider_key: 'NOTION', type: 'OAUTH', key_id: 'picked' })
      .expect(201);
    const allow = (scope_selection_allowed: boolean) =>
      booted.api
        .patch(`/api/v1/connections/${made.connection.id}`)
        .send({ oauth_config: { scopes: ['a', 'b', 'c'], scope_selection_allowed, required_scopes: ['a'] } })
        .expect(200);
    const pick = (scope_selection?: object) => ada.post(path).send({ scope_selection });
    const picked = async () => {
      const { body } = await booted.control.get('/state/connected_accounts').expect(200);
      const rows = body.connected_accounts ?? body.rows ?? body;
      return rows.find((row: { connection_id: string }) => row.connection_id === made.connection.id);
    };
    await booted.control
      .patch(`/state/connections/${made.connection.id}`)
      .send({ enabled: true })
      .expect(200);
    await ada.post('/api/v1/my-app-connections/picked:magic-link').expect(200);

    await allow(false);
    await pick({ scopes: ['z'] }).expect(200);
    await allow(true);
    await pick().expect(200);
    expect(await picked()).not.toHaveProperty('scope_selection');
    const refused = await pick({ scopes: ['z'] }).expect(400);
    const { body } = await pick({ scopes: ['c'] }).expect(200);

    expect(refused.body.message).toContain('INVALID_SCOPE_SELECTION');
    expect(new URL(body.redirect_url).pathname).toBe('/connect/success');
    expect(await picked()).toMatchObject({ scope_selection: { scopes: ['a', 'c'], optional_scopes: [] } });
  });

  it('answer the same address over gRPC', async () => {
    const booted = await boot();
    const { ada, access_token } = await asAda(booted);
    const { body } = await ada.post('/api/v1/connected_accounts/portal/redirect_url').send({}).expect(200);
    const method = METHODS.get('ConnectedAccountService_CreateRedirectUrl')!;
    const heard = await callRpc(
      grpcTo(await openFor(booted.understudy)),
      method,
      create(method.input, { scopeSelection: { scopes: ['z'] } } as never),
      { authorization: `Bearer ${access_token}` },
    );

    const { pathname } = new URL((heard as unknown as { redirectUrl: string }).redirectUrl);
    expect(pathname).toBe(new URL(body.redirect_url).pathname);
  });

  it('are closed to clients', async () => {
    const { api } = await boot();

    await api.get('/api/v1/my-app-connections').expect(403);
    await api.post('/api/v1/my-app-connections/gmail:magic-link').expect(403);
    await api.post('/api/v1/my-connected-accounts/ca_10000000000000301:disconnect').expect(403);
    await api.get('/api/v1/connected_accounts/portal/redirect_url').expect(403);
    await api.post('/api/v1/connected_accounts/portal/redirect_url').send({}).expect(403);
  });
});

describe('the calling user', () => {
  it.each(['/api/v1/users/me', '/api/v1/users:this'])('is shown with the session at %s', async (path) => {
    const booted = await boot();
    const { ada, access_token } = await asAda(booted);
    const { sid } = await verified(booted, access_token, new Date().toISOString());

    const { body } = await ada.get(path).expect(200);

    const { body: known } = await booted.api.get(`/api/v1/users/${ADA}`).expect(200);
    expect(body).toEqual({ user: known.user, current_session_id: sid, gateway_enabled: false });
    await booted.api.get(path).expect(403);
  });

  it('has a hash for a support chat, which is always the same', async () => {
    const booted = await boot();
    const { ada } = await asAda(booted);
    const path = '/api/v1/users/support-hash';

    const { body } = await ada.get(path).expect(200);

    expect(body.support_hash).toMatch(/^[0-9a-f]{64}$/);
    await ada.get(path).expect(200, body);
    await booted.api.get(path).expect(403);
  });
});
