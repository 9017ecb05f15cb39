import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { complain } from './support.ts';

const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';
const GET = 'OrganizationService_GetOrganization';
const UPDATE = 'OrganizationService_UpdateOrganization';

async function patching(rule: object, on: unknown = GET, options: object = {}) {
  const booted = await boot(options);
  await booted.control
    .post('/scenarios')
    .send({ name: 'test', rules: [{ on, times: 1, ...rule }] })
    .expect(201);
  return booted;
}

describe('patch', () => {
  it('changes the response, but not the state', async () => {
    const { api, control } = await patching({ patch: { organization: { display_name: 'Liar' } } }, UPDATE);

    const { body } = await api.patch(ORGANIZATION).send({ display_name: 'Truth' }).expect(200);
    const truth = await api.get(ORGANIZATION).expect(200);

    expect(body).toEqual({ organization: { ...truth.body.organization, display_name: 'Liar' } });
    expect(truth.body.organization.display_name).toBe('Truth');
    const { body: journal } = await control.get(`/requests?operation=${UPDATE}`).expect(200);
    expect(journal.requests).toMatchObject([
      {
        status: 200,
        scenario: { name: 'test', rule: 0 },
        response: { body: { organization: { display_name: 'Liar' } } },
      },
    ]);
    expect(journal.requests[0].changes).not.toEqual([]);
  });

  it('removes members and resolves relative times', async () => {
    const patch = { organization: { external_id: null, update_time: 'now+1h' } };
    const { api } = await patching({ patch }, UPDATE, { now: '2030-01-01T00:00:00Z' });

    const { body } = await api.patch(ORGANIZATION).send({ external_id: 'mine' }).expect(200);

    expect(body.organization.update_time).toBe('2030-01-01T01:00:00.000Z');
    expect(body.organization).not.toHaveProperty('external_id');
  });

  it('does not change an error response', async () => {
    const { api } = await patching({ patch: { organization: { display_name: 'Liar' } } });

    const { body } = await api.get('/api/v1/organizations/org_404').expect(404);

    expect(body).not.toHaveProperty('organization');
  });

  it('is applied before a fault truncates the body', async () => {
    const rule = { patch: { organization: { display_name: 'L'.repeat(90) } }, fault: { truncate: 1000 } };
    const { api } = await patching(rule);

    const { body } = await api.get(ORGANIZATION).expect(200);

    expect(body.organization.display_name).toHaveLength(90);
  });

  it('may break the contract with `contract: violated`', async () => {
    const { api } = await patching({
      patch: { organization: { id: 7, nonsense: true } },
      contract: 'violated',
    });

    const { body, headers } = await api.get(ORGANIZATION).expect(200);

    expect(body.organization).toMatchObject({ id: 7, nonsense: true });
    expect(headers['understudy-contract']).toBe('violated');
  });

  it('responds 500 when the patched response breaks the contract, and the state change stays', async () => {
    // Only the response shows whether the account has the other members of google_dwd.
    const patch = { connected_account: { authorization_details: { google_dwd: { subject: 'ada' } } } };
    const on = 'ConnectedAccountService_CreateConnectedAccount';
    const { api, control } = await patching({ patch }, on, { brokenContract: true });
    const account = { connector: 'github', identifier: 'ada' };

    const { body } = await api
      .post('/api/v1/connected_accounts')
      .send({ ...account, connected_account: {} })
      .expect(500);

    expect(body.details).toMatchObject([{ error_code: 'RESPONSE_CONTRACT_VIOLATION' }]);
    await api.get('/api/v1/connected_accounts/auth').query(account).expect(200);
    const { body: journal } = await control.get(`/requests?operation=${on}`).expect(200);
    expect(journal.requests).toMatchObject([
      { status: 500, validation: { response: expect.stringContaining('google_dwd') } },
    ]);
  });
});

describe('a patch that no response can have', () => {
  const rule = (lines: string, on = GET) => `name: test\nrules:\n  - on: ${on}\n    ${lines}\n`;

  it.each([
    [
      'an unknown member',
      'patch: { organization: { display_nam: a } }',
      `4:30 rules[0].patch.organization.display_nam: ${GET}: the answer has no member display_nam; did you mean display_name?`,
    ],
    [
      'a value of another type',
      'patch: { organization: { display_name: 7 } }',
      `4:44 rules[0].patch.organization.display_name: ${GET}: must be string`,
    ],
    [
      'the removal of a required member',
      'patch: { organization: { id: null } }',
      `4:34 rules[0].patch.organization.id: ${GET}: the contract promises id: it cannot be removed`,
    ],
    [
      'an invalid time',
      'patch: { organization: { update_time: yesterday } }',
      `4:43 rules[0].patch.organization.update_time: ${GET}: must match format "date-time"`,
    ],
    ['an empty patch', 'patch: {}', '4:12 rules[0].patch: must be an object with at least one member'],
    [
      'a patch that is not an object',
      'patch: 7',
      '4:12 rules[0].patch: must be an object with at least one member',
    ],
    [
      'a patch together with a reply',
      'patch: { organization: {} }\n    reply: { error: gone }',
      '4:5 rules[0].patch: has no effect: the rule has a reply, which replaces the answer of the service',
    ],
    [
      'a patch together with garbage',
      'patch: { organization: {} }\n    fault: { garbage: true }',
      '4:5 rules[0].patch: has no effect: the fault is garbage',
    ],
    [
      'a patch together with a disconnect',
      'patch: { organization: {} }\n    fault: { disconnect: reset }',
      '4:5 rules[0].patch: has no effect: the fault is disconnect reset',
    ],
    [
      '`contract` without a patch',
      'fault: { garbage: true }\n    contract: violated',
      '5:5 rules[0].contract: goes only with patch; in a reply, write it among the members of the reply',
    ],
  ])('is reported for %s', (_, lines, expected) => {
    const complaints = complain(rule(lines));

    expect(complaints).toEqual([expected]);
  });

  it('is reported for missing members of a list item, because a list is replaced as a whole', () => {
    const complaints = complain(rule('patch: { roles: [{ id: role_1 }] }', 'RolesService_ListRoles'));

    expect(complaints).toContainEqual(
      expect.stringMatching(/^4:22 rules\[0\]\.patch\.roles\[0\]: RolesService_ListRoles: name is missing/),
    );
  });

  it('is accepted with `contract: violated`', () => {
    const complaints = complain(rule('patch: { nonsense: null }\n    contract: violated'));

    expect(complaints).toEqual([]);
  });
});
