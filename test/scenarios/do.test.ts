import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { complain, NOW } from './support.ts';
import { EMPTY_DESK } from '../support/fixture-ids.ts';

const ORGANIZATION = `/api/v1/organizations/${EMPTY_DESK}`;
const GET = 'OrganizationService_GetOrganization';
const rename = (display_name: string, id = EMPTY_DESK) => ({
  organizations: [{ match: { id }, set: { display_name } }],
});

async function doing(rule: object, options: object = {}) {
  const booted = await boot({ now: NOW, ...options });
  const scenario = { name: 'test', rules: [{ on: GET, ...rule }] };
  await booted.control.post('/scenarios').send(scenario).expect(201);
  return booted;
}

describe('do', () => {
  it('changes rows before the operation runs', async () => {
    const { api } = await doing({ do: rename('Renamed') });

    const { body } = await api.get(ORGANIZATION).expect(200);

    expect(body.organization.display_name).toBe('Renamed');
  });

  it('deletes a row and its dependents before the operation reads it', async () => {
    const { api, control } = await doing({
      on: 'UserService_GetUser',
      times: 1,
      do: { users: [{ delete: { match: { id: 'usr_10000000000000105' } } }] },
    });

    await api.get('/api/v1/users/usr_10000000000000105').expect(404);

    await control.get('/state/memberships/mem_10000000000000006').expect(404);
  });

  it.each([
    ['a reply', { reply: { error: 'unavailable' } }, 503],
    ['a patch', { patch: { organization: { display_name: 'Patched' } } }, 200],
    ['a rejected request', { on: 'OrganizationService_UpdateOrganization' }, 400],
  ])('changes rows even with %s', async (_, rule, status) => {
    const { api, control } = await doing({ do: rename('Renamed'), ...rule });
    const call = 'on' in rule ? api.patch(ORGANIZATION).send({ display_name: '' }) : api.get(ORGANIZATION);

    await call.expect(status);

    const { body } = await control.get(`/state/organizations/${EMPTY_DESK}`).expect(200);
    expect(body.display_name).toBe('Renamed');
  });

  it('resolves times such as now-1d at the time of the call', async () => {
    const change = { sessions: [{ match: { id: 'ses_10000000000000401' }, set: { updated_at: 'now-1d' } }] };
    const { api, control } = await doing({ do: change });
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    await api.get(ORGANIZATION).expect(200);

    const { body } = await control.get('/state/sessions/ses_10000000000000401').expect(200);
    expect(body.updated_at).toBe('2026-02-28T10:00:00.000Z');
  });

  it('accepts a list of edits, which run in order', async () => {
    const organization = {
      id: 'org_90000000000000001',
      display_name: 'New',
      region_code: 'US',
      metadata: {},
    };
    const times = { create_time: 'now', update_time: 'now' };
    const changes = [
      { organizations: [{ insert: { ...organization, ...times } }] },
      rename('Newer', organization.id),
      { organizations: [{ delete: { match: { id: EMPTY_DESK } } }] },
    ];
    const { api } = await doing({ times: 1, do: changes });

    await api.get(ORGANIZATION).expect(404);

    const { body } = await api.get(`/api/v1/organizations/${organization.id}`).expect(200);
    expect(body.organization.display_name).toBe('Newer');
  });

  it('is in the journal together with the changes of the operation', async () => {
    const on = 'OrganizationService_UpdateOrganization';
    const { api, control } = await doing({ on, do: rename('Renamed', 'org_10000000000000002') });

    await api.patch(ORGANIZATION).send({ display_name: 'Called' }).expect(200);

    const { body } = await control.get(`/requests?operation=${on}`).expect(200);
    const names = body.requests[0].changes.filter(({ path }: { path: string }) =>
      path.endsWith('display_name'),
    );
    expect(names).toEqual([
      {
        op: 'replace',
        path: '/organizations/org_10000000000000002/display_name',
        value: 'Renamed',
        before: 'Nordwind GmbH',
      },
      {
        op: 'replace',
        path: `/organizations/${EMPTY_DESK}/display_name`,
        value: 'Called',
        before: 'Empty Desk',
      },
    ]);
  });
});

describe('a `do` that fails', () => {
  const gone = { sessions: [{ delete: { match: { id: 'ses_404' } } }] };

  it('responds 500, names the rule and changes nothing', async () => {
    const on = 'OrganizationService_UpdateOrganization';
    const changes = [rename('Renamed'), gone];
    const { api, control, lines } = await doing({ on, do: changes }, { brokenContract: true });

    const { body, headers } = await api.patch(ORGANIZATION).send({ display_name: 'Called' }).expect(500);

    expect(headers['understudy-scenario']).toBe('failed');
    expect(body.message).toMatch(/^scenario test, rules\[0\]: .*sessions.*ses_404/);
    const { body: row } = await control.get(`/state/organizations/${EMPTY_DESK}`).expect(200);
    expect(row.display_name).toBe('Empty Desk');
    expect(lines.join('')).toContain('ses_404');
    const { body: journal } = await control.get(`/requests?operation=${on}`).expect(200);
    expect(journal.requests).toMatchObject([
      { status: 500, changes: [], error: expect.stringContaining('ses_404') },
    ]);
  });

  it('has no effect on calls of other operations', async () => {
    const { api } = await doing({ on: 'UserService_GetUser', do: gone });

    await api.get(ORGANIZATION).expect(200);
  });
});

describe('an invalid `do`', () => {
  const rule = (lines: string) => `name: test\nrules:\n  - on: ${GET}\n    ${lines}\n`;

  it.each([
    [
      'an unknown collection',
      'do: { sesions: [] }',
      '4:11 rules[0].do.sesions: unknown collection sesions; did you mean sessions?',
    ],
    [
      'an unknown member',
      'do: { sessions: [{ match: { id: a }, set: { stat: b } }] }',
      '4:49 rules[0].do.sessions[0].set.stat: a row of session has no member stat; did you mean status?',
    ],
    [
      'an unknown member in a list of edits',
      'do: [{ sessions: [{ delete: { match: { idd: a } } }] }]',
      '4:44 rules[0].do[0].sessions[0].delete.match.idd: a row of session has no member idd; did you mean id?',
    ],
    ['a value of another type', 'do: 7', '4:9 rules[0].do: must be object or array'],
  ])('is reported for %s', (_, lines, expected) => {
    const complaints = complain(rule(lines));

    expect(complaints).toContainEqual(expected);
  });
});
