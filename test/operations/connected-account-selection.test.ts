import { describe, expect, it } from 'vitest';
import {
  ACCOUNTS,
  ACME,
  create,
  invalid,
  long,
  missing,
  NINA,
  NORDWIND,
  oauth,
  SLACK_OF_ACME,
  SLACK_OF_NORDWIND,
  violated,
} from '../support/accounts.ts';
import { boot, type Agent } from '../support/boot.ts';

type Selection = Record<string, string>;

/** The three calls that name an account in the same way. */
const named: [operation: string, call: (api: Agent, selection: Selection) => ReturnType<Agent['get']>][] = [
  [
    'ConnectedAccountService_GetConnectedAccountAuth',
    (api, by) => api.get(`${ACCOUNTS}/auth?${new URLSearchParams(by)}`),
  ],
  [
    'ConnectedAccountService_UpdateConnectedAccount',
    (api, by) => api.put(ACCOUNTS).send({ ...by, connected_account: { api_config: { found: true } } }),
  ],
  ['ConnectedAccountService_DeleteConnectedAccount', (api, by) => api.post(`${ACCOUNTS}:delete`).send(by)],
];

describe.each(named)('the account that %s means', (operation, call) => {
  const NINA_AT = { connector: 'slack', identifier: 'nina@nordwind.example' };

  /** Which account the call found: the one that it answered, or the one that is gone. */
  async function found(selection: Selection) {
    const { api, control } = await boot();
    const { body } = await call(api, selection).expect(200);
    if (!operation.endsWith('DeleteConnectedAccount')) return body.connected_account.id;
    const deleted = await control.get('/requests?operation=ConnectedAccountService_DeleteConnectedAccount');
    const removed = deleted.body.requests[0].changes.map(({ path }: { path: string }) => path.split('/'));
    return removed.find(([, collection]: string[]) => collection === 'connected_accounts')[2];
  }

  it.each<[string, Selection, string]>([
    ['the id', { id: SLACK_OF_NORDWIND }, SLACK_OF_NORDWIND],
    [
      'the id, whatever else is said',
      {
        id: SLACK_OF_NORDWIND,
        connector: 'gmail',
        identifier: 'nobody',
        organization_id: 'org_1',
        user_id: 'usr_1',
      },
      SLACK_OF_NORDWIND,
    ],
    [
      'connector and identifier',
      { connector: 'freshdesk', identifier: 'support-desk' },
      'ca_10000000000000308',
    ],
    [
      'connector and identifier, narrowed by organization',
      { ...NINA_AT, organization_id: NORDWIND },
      SLACK_OF_NORDWIND,
    ],
    [
      'connector and identifier, narrowed by user',
      { connector: 'notion', identifier: 'ada@acme.example', user_id: 'usr_10000000000000101' },
      'ca_10000000000000305',
    ],
    ['connector and organization', { connector: 'slack', organization_id: NORDWIND }, SLACK_OF_NORDWIND],
    ['connector and user', { connector: 'slack', user_id: NINA }, SLACK_OF_ACME],
    ['the oldest, where several owners have the identifier', NINA_AT, SLACK_OF_ACME],
  ])('is found by %s', async (_, selection, id) => {
    expect(await found(selection)).toBe(id);
  });

  it('is the one without an owner, where others have owners', async () => {
    const { api } = await boot();
    const { id } = await create(api, { ...NINA_AT, connected_account: oauth() });

    await call(api, NINA_AT).expect(200);

    const rest = await api.get(`${ACCOUNTS}?identifier=nina@nordwind.example`).expect(200);
    const ids = rest.body.connected_accounts.map((account: { id: string }) => account.id);
    if (operation.endsWith('DeleteConnectedAccount')) expect(ids).toEqual([SLACK_OF_NORDWIND, SLACK_OF_ACME]);
    else expect((await call(api, NINA_AT)).body.connected_account.id).toBe(id);
  });

  it.each<[string, Selection, object]>([
    ['an unknown id', { id: 'ca_1' }, missing('connected account ca_1 not found')],
    [
      'an unknown identifier',
      { connector: 'slack', identifier: 'nobody' },
      missing('connected account connector slack, identifier nobody not found'),
    ],
    [
      'an owner of no such account',
      { ...NINA_AT, organization_id: 'org_10000000000000003' },
      missing(
        'connected account connector slack, identifier nina@nordwind.example, organization_id org_10000000000000003 not found',
      ),
    ],
    [
      'an unknown connector',
      { connector: 'nope', identifier: 'x' },
      missing('connection not found for key: nope'),
    ],
    ['a connector in another case', { connector: 'SLACK', identifier: 'x' }, { status: 404 }],
  ])('is not found by %s', async (_, selection, answer) => {
    const { api } = await boot();

    const refused = await call(api, selection);

    expect(refused).toMatchObject(answer);
  });

  it.each<[string, Selection, string]>([
    ['nothing', {}, 'connector'],
    ['the identifier alone', { identifier: 'support-desk' }, 'connector'],
    ['an owner alone', { organization_id: ACME, user_id: NINA }, 'connector'],
    ['the connector alone', { connector: 'slack' }, 'identifier'],
  ])('can not be told by %s', async (_, selection, lacking) => {
    const { api } = await boot();

    const refused = await call(api, selection);

    expect(refused).toMatchObject(
      invalid(`give the id of the connected account, or connector and identifier; ${lacking} is missing`),
    );
  });

  it.each<[string, string, Selection]>([
    ['id', 'string.prefix', { id: 'acc_1' }],
    ['id', 'string.prefix', { id: '' }],
    ['id', 'string.max_len', { id: `ca_${long(30)}` }],
    ['organization_id', 'string.max_len', { organization_id: long(33) }],
    ['user_id', 'string.max_len', { user_id: long(33) }],
    ['connector', 'string.max_len', { connector: long(401) }],
    ['connector', 'string.pattern', { connector: 'a/b' }],
    ['identifier', 'string.max_len', { identifier: long(101) }],
  ])('is asked for within the bounds of %s (%s)', async (field, constraint, selection) => {
    const { api } = await boot();

    const refused = await call(api, selection);

    expect(refused).toMatchObject(violated(field, constraint));
  });
});
