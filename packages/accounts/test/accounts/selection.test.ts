import { describe, expect, it } from 'vitest';
import {
  ACCOUNTS,
  create,
  invalid,
  long,
  missing,
  oauth,
  violated,
} from '../../../../test/support/accounts.ts';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import {
  ACME,
  NINA,
  NORDWIND,
  SLACK_OF_ACME,
  SLACK_OF_NORDWIND,
} from '../../../../test/support/fixture-ids.ts';

type Selection = Record<string, string>;

/** The three operations that select an account in the same way. */
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

describe.each(named)('the account selection of %s', (operation, call) => {
  const NINA_AT = { connector: 'slack', identifier: 'nina@nordwind.example' };

  /** Returns the id of the account that the call returned or deleted. */
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
      'the id, with other fields ignored',
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
    ['the identifier of several owners: the oldest one', NINA_AT, SLACK_OF_ACME],
  ])('finds an account by %s', async (_, selection, id) => {
    expect(await found(selection)).toBe(id);
  });

  it('prefers an account without an owner over accounts with owners', async () => {
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
      'an owner without such an account',
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
  ])('answers 404 for %s', async (_, selection, answer) => {
    const { api } = await boot();

    const refused = await call(api, selection);

    expect(refused).toMatchObject(answer);
  });

  it.each<[string, Selection, string]>([
    ['nothing', {}, 'connector'],
    ['only the identifier', { identifier: 'support-desk' }, 'connector'],
    ['only an owner', { organization_id: ACME, user_id: NINA }, 'connector'],
    ['only the connector', { connector: 'slack' }, 'identifier'],
  ])('refuses %s as incomplete', async (_, selection, lacking) => {
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
  ])('enforces the limits of %s (%s)', async (field, constraint, selection) => {
    const { api } = await boot();

    const refused = await call(api, selection);

    expect(refused).toMatchObject(violated(field, constraint));
  });
});
