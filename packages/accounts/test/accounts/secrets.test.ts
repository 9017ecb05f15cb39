import { describe, expect, it } from 'vitest';
import { ACCOUNTS, connect, create, NOW } from '../../../../test/support/accounts.ts';
import { boot } from '../../../../test/support/boot.ts';

describe.each([
  ['ConnectedAccountService_ListConnectedAccounts', ACCOUNTS],
  ['ConnectedAccountService_SearchConnectedAccounts', `${ACCOUNTS}:search?query=secretive`],
])('%s', (_, path) => {
  const SECRET = 'planted-secret';

  it('never returns credentials or api_config', async () => {
    const { api, control } = await boot({ now: NOW });
    await connect(control, 'secretive-drive', { type: 'GOOGLE_DWD' });
    await connect(control, 'secretive-redshift', { type: 'TRUSTED_IDP' });
    const planted = [
      ['gmail', { oauth_token: { access_token: SECRET, refresh_token: SECRET, domain: SECRET } }],
      ['freshdesk', { static_auth: { details: { password: SECRET, deep: [{ token: SECRET }] } } }],
      ['secretive-drive', { google_dwd: { subject: SECRET } }],
      ['secretive-redshift', { trusted_idp: { db_user: SECRET } }],
    ] as const;
    for (const [connector, authorization_details] of planted) {
      const api_config = { custom_auth_header: SECRET };
      await create(api, {
        connector,
        identifier: `secretive ${connector}`,
        connected_account: { authorization_details, api_config },
      });
    }

    const { body } = await api.get(path).expect(200);

    const { rows } = (await control.get('/state/connected_accounts').expect(200)).body;
    const secrets = new Set(rows.flatMap((row: object) => texts(pick(row))));
    expect(secrets).toContain(SECRET);
    expect(secrets.size).toBeGreaterThan(15);
    expect(texts(body).filter((text) => secrets.has(text))).toEqual([]);
    expect(body.connected_accounts.length).toBeGreaterThanOrEqual(4);
    for (const account of body.connected_accounts) {
      expect(Object.keys(account)).not.toContain('authorization_details');
      expect(Object.keys(account)).not.toContain('api_config');
    }
  });
});

const pick = ({
  authorization_details,
  api_config,
}: {
  authorization_details?: unknown;
  api_config?: unknown;
}) => [authorization_details, api_config];

/** Collects all nonempty strings in a value. */
function texts(at: unknown): string[] {
  if (typeof at === 'string') return at === '' ? [] : [at];
  return typeof at === 'object' && at !== null ? Object.values(at).flatMap(texts) : [];
}
