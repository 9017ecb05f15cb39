import { describe, expect, it } from 'vitest';
import { auth, create, NOW, oauth, TOKEN } from '../../../../test/support/accounts.ts';
import { boot } from '../../../../test/support/boot.ts';
import { SLACK_OF_ACME } from '../../../../test/support/fixture-ids.ts';

describe('ConnectedAccountService_GetConnectedAccountAuth', () => {
  it('returns the credentials', async () => {
    const { api } = await boot();

    const account = await auth(api, SLACK_OF_ACME);

    expect(account).toMatchObject({
      identifier: 'nina@nordwind.example',
      authorization_details: {
        oauth_token: {
          access_token: 'test_slack_acme_access_token',
          refresh_token: 'test_slack_acme_refresh_token',
        },
      },
    });
  });

  it('refreshes an expired access token when there is a refresh token', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await create(api, { connected_account: oauth() });
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at: NOW }).expect(200);
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const account = await auth(api, id);

    expect(account).toMatchObject({
      status: 'ACTIVE',
      token_expires_at: '2030-01-01T02:00:00.000Z',
      updated_at: '2030-01-01T01:00:00.000Z',
    });
    const { access_token, ...rest } = account.authorization_details.oauth_token;
    expect(access_token).toMatch(/^at_\w{32}$/);
    expect(rest).toEqual({ refresh_token: 'rt-1', scopes: ['a'], domain: 'acme' });
    expect(await auth(api, id)).toEqual(account);
  });

  it('keeps an access token that has not expired', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await create(api, { connected_account: oauth() });
    const token_expires_at = '2030-01-01T01:00:00.000Z';
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at }).expect(200);

    const account = await auth(api, id);

    expect(account).toMatchObject({ token_expires_at, authorization_details: { oauth_token: TOKEN } });
  });

  it('answers EXPIRED when the access token expired and there is no refresh token', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await create(api, { connected_account: oauth({ access_token: 'at-1' }) });
    const token_expires_at = '2030-01-01T01:00:00.000Z';
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at }).expect(200);
    await control.post('/clock/advance').send({ by: '3599s' }).expect(200);
    expect(await auth(api, id)).toMatchObject({ status: 'ACTIVE' });

    await control.post('/clock/advance').send({ by: '1s' }).expect(200);

    expect(await auth(api, id)).toMatchObject({
      status: 'EXPIRED',
      token_expires_at,
      updated_at: token_expires_at,
      authorization_details: { oauth_token: { access_token: 'at-1' } },
    });
  });
});
