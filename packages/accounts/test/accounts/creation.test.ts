import { describe, expect, it } from 'vitest';
import {
  ACCOUNTS,
  auth,
  connect,
  create,
  failure,
  invalid,
  long,
  missing,
  NOW,
  oauth,
  TOKEN,
  violated,
} from '../../../../test/support/accounts.ts';
import { boot } from '../../../../test/support/boot.ts';
import { ACME, NINA, NORDWIND } from '../../../../test/support/fixture-ids.ts';

describe('ConnectedAccountService_CreateConnectedAccount', () => {
  it('stores an account with status PENDING_AUTH', async () => {
    const { api } = await boot({ now: NOW });

    const account = await create(api);

    expect(account).toEqual({
      id: expect.stringMatching(/^ca_\d{17,}$/),
      connection_id: 'conn_10000000000000201',
      is_org_wide_credential: false,
      connector: 'gmail',
      provider: 'GMAIL',
      identifier: 'lea@acme.example',
      authorization_type: 'OAUTH',
      status: 'PENDING_AUTH',
      updated_at: NOW,
    });
    expect(await auth(api, account.id)).toEqual(account);
  });

  it('activates the account immediately when usable credentials are given, and returns them', async () => {
    const { api } = await boot({ now: NOW });

    const account = await create(api, { connected_account: oauth({ access_token: 'at-1' }) });

    expect(account).toMatchObject({
      status: 'ACTIVE',
      authorization_details: {
        oauth_token: { access_token: 'at-1', refresh_token: '', scopes: [], domain: '' },
      },
    });
    expect(await auth(api, account.id)).toEqual(account);
  });

  it.each([
    ['no credentials at all', {}, undefined],
    ['empty details', { authorization_details: {} }, {}],
    [
      'a token without an access token',
      oauth({ scopes: ['a'] }),
      { oauth_token: { access_token: '', refresh_token: '', scopes: ['a'], domain: '' } },
    ],
    [
      'static credentials without values',
      { authorization_details: { static_auth: {} } },
      { static_auth: { details: {} } },
    ],
  ])('sets PENDING_AUTH with %s', async (_, connected_account, authorization_details) => {
    const { api } = await boot();

    const account = await create(api, { connected_account });

    expect(account).toMatchObject({ status: 'PENDING_AUTH' });
    expect(account['authorization_details']).toEqual(authorization_details);
  });

  it.each([
    ['freshdesk', 'BASIC', { domain: 'x', username: 'u', password: 'p' }],
    ['exa', 'API_KEY', { api_key: 'k' }],
    ['apifymcp', 'BEARER_TOKEN', { token: 't' }],
  ])(
    'stores static credentials of %s, including the password, as %s',
    async (connector, authorization_type, details) => {
      const { api } = await boot();

      const account = await create(api, {
        connector,
        connected_account: { authorization_details: { static_auth: { details } } },
      });

      const authorization_details = { static_auth: { details } };
      expect(account).toMatchObject({ authorization_type, status: 'ACTIVE', authorization_details });
    },
  );

  it('activates the account immediately when the connection needs no credentials', async () => {
    const { api, control } = await boot();
    await connect(control, 'open', { type: 'NO_AUTH' });

    const account = await create(api, {
      connector: 'open',
      connected_account: { authorization_details: { static_auth: {} } },
    });

    expect(account).toMatchObject({ connector: 'open', authorization_type: 'NO_AUTH', status: 'ACTIVE' });
  });

  it('issues an access token for the subject of a domain-wide delegation', async () => {
    const { api, control } = await boot({ now: NOW });
    await connect(control, 'drive', { type: 'GOOGLE_DWD' });

    const account = await create(api, {
      connector: 'drive',
      connected_account: { authorization_details: { google_dwd: { subject: 'ada@acme.example' } } },
    });

    expect(account).toMatchObject({
      authorization_type: 'GOOGLE_DWD',
      status: 'ACTIVE',
      authorization_details: {
        google_dwd: {
          subject: 'ada@acme.example',
          access_token: expect.stringMatching(/^gdwd_\w{32}$/),
          scopes: [],
          token_expires_at: '2030-01-01T01:00:00.000Z',
        },
      },
    });
  });

  it('issues an access key for the database user of a trusted identity provider and hides its secret', async () => {
    const { api, control } = await boot({ now: NOW });
    await connect(control, 'redshift', { type: 'TRUSTED_IDP' });

    const account = await create(api, {
      connector: 'redshift',
      connected_account: { authorization_details: { trusted_idp: { db_user: 'reader' } } },
    });

    expect(account).toMatchObject({ authorization_type: 'TRUSTED_IDP', status: 'ACTIVE' });
    expect(account['authorization_details']).toEqual({
      trusted_idp: {
        db_user: 'reader',
        access_key_id: expect.stringMatching(/^ASIA[A-Z0-9]{16}$/),
        expiry: '2030-01-01T01:00:00.000Z',
      },
    });
  });

  it.each([
    ['OAUTH', 'OAUTH'],
    ['OIDC', 'OAUTH'],
    ['API_KEY', 'API_KEY'],
    ['BASIC', 'BASIC'],
    ['BEARER', 'BEARER_TOKEN'],
    ['OAUTH_M2M', 'OAUTH_M2M'],
    ['TRELLO_OAUTH1', 'TRELLO_OAUTH1'],
    ['SMART_FHIR', 'SMART_FHIR'],
    ['PASSWORD', 'CUSTOM'],
  ])('maps the connection type %s to the authorization type %s', async (type, authorization_type) => {
    const { api, control } = await boot();
    await connect(control, 'other', { type });

    const account = await create(api, { connector: 'other' });

    expect(account).toMatchObject({ authorization_type, status: 'PENDING_AUTH' });
  });

  it.each([
    ['GOOGLE_DWD', 'google_dwd', { subject: 's', access_token: 'mine', scopes: ['mine'] }],
    ['TRUSTED_IDP', 'trusted_idp', { db_user: 'd', access_key_id: 'mine', session_token: 'mine' }],
  ])('ignores values of %s credentials that only the service sets', async (type, kind, credentials) => {
    const { api, control } = await boot();
    await connect(control, 'other', { type });

    const account = await create(api, {
      connector: 'other',
      connected_account: { authorization_details: { [kind]: credentials } },
    });

    expect(account).toMatchObject({
      status: 'ACTIVE',
      authorization_details: { [kind]: expect.any(Object) },
    });
    expect(JSON.stringify(account)).not.toContain('mine');
  });

  it('stores the given organization and user', async () => {
    const { api, control } = await boot();

    const account = await create(api, { organization_id: ACME, user_id: NINA });

    const row = await control.get(`/state/connected_accounts/${account.id}`).expect(200);
    expect(row.body).toMatchObject({ organization_id: ACME, user_id: NINA });
    expect(account).not.toHaveProperty('organization_id');
  });

  it.each([
    ['no owner', {}],
    ['the same organization', { organization_id: ACME }],
    ['the same user', { user_id: NINA }],
    ['the same organization and user', { organization_id: ACME, user_id: NINA }],
  ])('refuses an identifier that is taken by an account of %s', async (_, owner) => {
    const { api } = await boot();
    const wanted = { connector: 'gmail', identifier: 'lea', connected_account: {}, ...owner };
    await api.post(ACCOUNTS).send(wanted).expect(201);

    const refused = await api.post(ACCOUNTS).send(wanted);

    expect(refused).toMatchObject(
      failure(409, 'connected account with identifier lea exists already for gmail', 6, 'ALREADY_EXISTS'),
    );
    const list = await api.get(`${ACCOUNTS}?identifier=lea`).expect(200);
    expect(list.body.total_size).toBe(1);
  });

  it('accepts the same identifier for another owner or another connector', async () => {
    const { api } = await boot();
    await create(api, { identifier: 'lea' });

    for (const other of [
      { organization_id: ACME },
      { organization_id: NORDWIND },
      { user_id: NINA },
      { organization_id: ACME, user_id: NINA },
      { connector: 'slack' },
    ])
      await create(api, { identifier: 'lea', ...other });

    const list = await api.get(`${ACCOUNTS}?identifier=lea`).expect(200);
    expect(list.body.total_size).toBe(6);
  });

  it('answers 404 for an unknown connector', async () => {
    const { api } = await boot();

    const refused = await api
      .post(ACCOUNTS)
      .send({ connector: 'nope', identifier: 'lea', connected_account: {} });

    expect(refused).toMatchObject(missing('connection not found for key: nope'));
  });

  it.each([
    ['connector', { identifier: 'lea' }],
    ['identifier', { connector: 'gmail' }],
  ])('requires %s', async (name, selection) => {
    const { api } = await boot();

    const refused = await api.post(ACCOUNTS).send({ ...selection, connected_account: {} });

    expect(refused).toMatchObject(invalid(`${name} is required`));
  });

  it.each([
    ['organization_id', 'string.max_len', { organization_id: long(33) }],
    ['user_id', 'string.max_len', { user_id: long(33) }],
    ['connector', 'string.max_len', { connector: long(401) }],
    ['connector', 'string.pattern', { connector: 'gmail/x' }],
    ['identifier', 'string.max_len', { identifier: long(101) }],
    ['connected_account', 'required', { connected_account: undefined }],
  ])('enforces the limits of %s (%s)', async (field, constraint, wrong) => {
    const { api } = await boot();
    const right = { connector: 'gmail', identifier: 'lea', connected_account: {} };

    const refused = await api.post(ACCOUNTS).send({ ...right, ...wrong });

    expect(refused).toMatchObject(violated(field, constraint));
  });

  it('accepts an identifier of 100 characters', async () => {
    const { api } = await boot();

    const account = await create(api, { identifier: long(100) });

    expect(account).toMatchObject({ identifier: long(100) });
  });

  it('refuses two kinds of credentials at once', async () => {
    const { api } = await boot();
    const authorization_details = { oauth_token: TOKEN, static_auth: { details: {} } };

    const refused = await api
      .post(ACCOUNTS)
      .send({ connector: 'gmail', identifier: 'lea', connected_account: { authorization_details } });

    expect(refused).toMatchObject({ status: 400, body: { code: 3 } });
  });
});
