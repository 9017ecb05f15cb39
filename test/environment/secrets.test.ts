import { describe, expect, it } from 'vitest';
import { readContract } from '../../src/contract/documents.ts';
import { addressesOf, type State } from '../support/addresses.ts';
import { boot, type Booted } from '../support/boot.ts';

/** Members of stored rows that only an operation with that purpose may return. */
const SECRET_MEMBERS = new Set([
  'access_token',
  'client_secret',
  'password',
  'private_key',
  'refresh_token',
  'secret',
  'secret_access_key',
  'service_account_json',
  'session_token',
  'token',
]);
const MARK = 'planted4secret';

/** Operations whose purpose is to return credentials, or links that act as credentials. */
const GIVES_SECRETS = [
  'ConnectedAccountService_GetConnectedAccountAuth',
  'OrganizationService_GetPortalLinks',
];

const reads = readContract('openapi').operations.filter(
  ({ method, base }) => method === 'GET' && !GIVES_SECRETS.includes(base),
);

/** The default environment with a known text in place of every secret. */
async function bootPlanted() {
  const booted = await boot({ logLevel: 'debug' as never });
  const state = (await booted.control.get('/state').expect(200)).body as State;
  const planted: string[] = [];
  const plant = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((each) => plant(each, name));
    if (typeof value === 'object' && value !== null) {
      const isFree = name === 'details';
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [key, plant(member, isFree ? 'secret' : key)]),
      );
    }
    if (typeof value !== 'string' || !SECRET_MEMBERS.has(name) || value === '') return value;
    // Webhook secrets must start with whsec_, and those of authenticator apps are Base32.
    const [prefix = ''] = /^whsec_/.exec(value) ?? [];
    const isBase32 = /^[A-Z2-7]{16,}$/.test(value);
    planted.push(isBase32 ? `${MARK.toUpperCase()}AA` : `${prefix}${MARK}${planted.length}`);
    return planted.at(-1);
  };
  const { clients, ...rest } = state;
  await booted.control
    .put('/state')
    .send({ ...(plant(rest) as State), clients: plantClients(clients!) })
    .expect(204);
  return { ...booted, planted };

  /** The default client keeps its secret, because the test calls with it. */
  function plantClients(rows: State[string]) {
    return rows.map((row) => (row.id === 'skc_1000000000000000001' ? row : plant(row)));
  }
}

const stateOf = async ({ control }: Booted) => (await control.get('/state').expect(200)).body as State;

describe('a stored secret', () => {
  it('is in no list, search or single row', async () => {
    const booted = await bootPlanted();
    const state = await stateOf(booted);
    expect(booted.planted.length).toBeGreaterThan(10);

    for (const { id, path } of reads) {
      for (const address of addressesOf(path, state).slice(0, 20)) {
        const { text } = await booted.api.get(`${address}?query=acme&page_size=30&include=all`);

        expect([id, address, text.toLowerCase().includes(MARK) ? text : 'nothing']).toEqual([
          id,
          address,
          'nothing',
        ]);
      }
    }
  });

  it('is in no journal, log or other environment, also when it was sent or returned', async () => {
    const booted = await bootPlanted();
    const blue = await booted.environment('blue');
    const auth = '/api/v1/connected_accounts/auth?id=ca_10000000000000301';
    const { text } = await booted.api.get(auth).expect(200);
    expect(text).toContain(MARK);
    const wrong = { grant_type: 'client_credentials', client_id: 'skc_1', client_secret: `${MARK}sent` };

    const refused = await booted.anonymous.post('/oauth/token').type('form').send(wrong).expect(401);
    const strange = { connector: 7, authorization_details: { oauth_token: { access_token: `${MARK}sent` } } };
    const broken = await booted.api.post('/api/v1/connected_accounts').send(strange).expect(400);

    const journal = await booted.control.get('/requests').expect(200);
    const other = await blue.control.get('/state').expect(200);
    for (const seen of [refused.text, broken.text, journal.text, other.text, booted.lines.join('\n')])
      expect(seen.toLowerCase()).not.toContain(MARK);
    expect(journal.body.requests.length).toBeGreaterThan(2);
  });
});
