import { describe, expect, it } from 'vitest';
import { ACCOUNTS, create } from '../../../../test/support/accounts.ts';
import { bootOnce, type Agent } from '../../../../test/support/boot.ts';

const { fresh } = bootOnce();

const CONNECTIONS = '/api/v1/connections';
const KEY = JSON.stringify({ type: 'service_account' });

async function connect(api: Agent, type: string, provider_key: string, key_id = 'picked') {
  const { body } = await api
    .post(`${CONNECTIONS}?flags.is_app=true`)
    .send({ provider_key, type, key_id })
    .expect(201);
  return body.connection as { id: string };
}

const settings = (api: Agent, { id }: { id: string }, config: object) =>
  api.patch(`${CONNECTIONS}/${id}`).send(config);

const violations = (body: { details: { validation_error_info: { field_violations: object[] } }[] }) =>
  body.details[0]!.validation_error_info.field_violations;

describe('scopes that a connection always asks for', () => {
  it('must be among its scopes, and are replaced when selection is allowed or forbidden', async () => {
    const { api } = await fresh();
    const made = await connect(api, 'OAUTH', 'NOTION');
    const oauth = async (config: object) =>
      (await settings(api, made, { type: 'OAUTH', oauth_config: config }).expect(200)).body.connection
        .oauth_config;
    await oauth({ scopes: ['a', 'b', 'c'], optional_scopes: { scopes: ['o'], field_name: 'optional' } });

    const required_optional_scopes = ['o'];
    const first = await oauth({
      scope_selection_allowed: true,
      required_scopes: ['a'],
      required_optional_scopes,
    });
    const kept = await oauth({ required_scopes: ['b'] });
    const replaced = await oauth({ scope_selection_allowed: true, required_scopes: ['b'] });
    const strange = { scope_selection_allowed: true, required_scopes: ['z'] };
    const refused = await settings(api, made, { oauth_config: strange }).expect(400);
    const shrunk = await settings(api, made, { oauth_config: { scopes: ['a'] } }).expect(400);

    expect(first).toMatchObject({ required_scopes: ['a'], required_optional_scopes: ['o'] });
    expect(kept).toEqual(first);
    expect(replaced).toMatchObject({ required_scopes: ['b'], required_optional_scopes: [] });
    expect(violations(refused.body)).toMatchObject([{ field: 'connection.oauth_config.required_scopes' }]);
    expect(violations(shrunk.body)).toMatchObject([{ field: 'connection.oauth_config.required_scopes' }]);
  });
});

describe('the scopes that an account picks', () => {
  const pick = (api: Agent, id: string, scope_selection?: object) =>
    api.put(ACCOUNTS).send({ id, connected_account: {}, scope_selection });

  /** An account of a delegation whose connection has three scopes and requires the first. */
  async function delegated(api: Agent, isAllowed = true) {
    const made = await connect(api, 'GOOGLE_DWD', 'GOOGLEDWD');
    const google_dwd_config = {
      service_account_json: KEY,
      scopes: ['a', 'b', 'c'],
      scope_selection_allowed: isAllowed,
      required_scopes: ['a'],
    };
    await settings(api, made, { google_dwd_config }).expect(200);
    const connected_account = { authorization_details: { google_dwd: { subject: 'ada@acme.example' } } };
    return (await create(api, { connector: 'picked', connected_account })).id;
  }

  it('are those of its credential with the required ones, until others are picked', async () => {
    const { api } = await fresh();
    const id = await delegated(api);
    const scopes = async (selection?: object) =>
      (await pick(api, id, selection).expect(200)).body.connected_account.authorization_details.google_dwd
        .scopes;

    expect(await scopes({ scopes: ['c'] })).toEqual(['a', 'c']);
    expect(await scopes()).toEqual(['a', 'c']);
    expect(await scopes({})).toEqual(['a']);
    expect((await pick(api, id, { scopes: ['z'] }).expect(400)).body.message).toContain(
      'INVALID_SCOPE_SELECTION',
    );
  });

  it('are ignored where the connection does not allow it, and where a third party asks', async () => {
    const { api, control } = await fresh();
    const id = await delegated(api, false);
    const other = await create(api);

    await pick(api, id, { scopes: ['c'] }).expect(200);
    await pick(api, other.id, { scopes: ['c'] }).expect(200);

    for (const each of [id, other.id])
      expect((await control.get(`/state/connected_accounts/${each}`)).body).not.toHaveProperty(
        'scope_selection',
      );
  });
});

describe('settings of a connection that only newer SDKs know', () => {
  it('show the last four characters of a developer token, and take them back unchanged', async () => {
    const { api, control } = await fresh();
    const made = await connect(api, 'OAUTH', 'GOOGLE_ADS');
    const oauth = async (config: object) =>
      (await settings(api, made, { oauth_config: config }).expect(200)).body.connection.oauth_config;

    const shown = await oauth({ googleads_developer_token: 'secret-developer-1234' });
    await oauth({ googleads_developer_token: shown.googleads_developer_token });

    expect(shown.googleads_developer_token).toBe('1234');
    const { body } = await control.get(`/state/connections/${made.id}`).expect(200);
    expect(body.oauth_config.googleads_developer_token).toBe('secret-developer-1234');
    const slack = await connect(api, 'OAUTH', 'SLACK', 'other');
    await settings(api, slack, { oauth_config: { googleads_developer_token: 'x' } }).expect(400);
  });

  it('need no secret if the client authenticates with none', async () => {
    const { api } = await fresh();
    const made = await connect(api, 'OAUTH', 'CUSTOM');
    const oauth_config = {
      authorize_uri: 'https://a.example/authorize',
      token_uri: 'https://a.example/token',
      client_id: 'public',
    };
    const status = async (token_endpoint_auth_method: string) =>
      (
        await settings(api, made, { oauth_config: { ...oauth_config, token_endpoint_auth_method } }).expect(
          200,
        )
      ).body.connection.status;

    expect(await status('client_secret_basic')).toBe('IN_PROGRESS');
    expect(await status('none')).toBe('COMPLETED');
    await settings(api, made, { oauth_config: { token_endpoint_auth_method: 'jwt' } }).expect(400);
  });

  it("fill the proxy address of an MCP provider with the caller's domain and version", async () => {
    const { api, control } = await fresh();
    const proxy_url = 'https://{{domain}}/mcp/{{version}}';
    const make = (key_id: string, context?: object) =>
      api
        .post(`${CONNECTIONS}?flags.is_app=true`)
        .send({ provider_key: 'APIFYMCP', type: 'BEARER', key_id, context });
    const fixed = await make('fixed').expect(201);
    await control.patch('/state/providers/APIFYMCP').send({ proxy_url }).expect(200);

    const filled = await make('one', { domain: 'eu.apify.example', version: 'v2' }).expect(201);
    const open = await make('two').expect(201);
    const strange = await make('three', { region: 'eu' }).expect(400);
    const code = await make('four', { domain: 'eu' }).expect(400);

    expect(filled.body.connection.resolved_proxy_url).toBe('https://eu.apify.example/mcp/v2');
    expect(open.body.connection).not.toHaveProperty('resolved_proxy_url');
    expect(fixed.body.connection).not.toHaveProperty('resolved_proxy_url');
    expect(violations(strange.body)).toMatchObject([{ field: 'connection.context.region' }]);
    expect(violations(code.body)).toMatchObject([{ field: 'connection.context.domain' }]);
  });
});
