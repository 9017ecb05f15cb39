import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { complain, NOW } from './support.ts';
import { ACME, NORDWIND } from '../support/fixture-ids.ts';

const GET = 'OrganizationService_GetOrganization';
const organization = (id: string) => `/api/v1/organizations/${id}`;

async function loaded(...scenarios: object[]) {
  const booted = await boot({ now: NOW });
  for (const [index, scenario] of scenarios.entries())
    await booted.control
      .post('/scenarios')
      .send({ name: `test-${index}`, ...scenario })
      .expect(201);
  return booted;
}

const rename = (edit: object) => ({
  rules: [{ on: GET, do: { organizations: [{ set: { display_name: 'Named' }, ...edit }] } }],
});

describe('values of the call', () => {
  it('select the row that `do` changes', async () => {
    const { api } = await loaded(rename({ match: { id: '${path.id}' } }));

    const { body } = await api.get(organization(NORDWIND)).expect(200);
    const list = await api.get('/api/v1/organizations?page_size=30').expect(200);

    expect(body.organization.display_name).toBe('Named');
    const named = list.body.organizations.filter(
      (each: { display_name: string }) => each.display_name === 'Named',
    );
    expect(named).toMatchObject([{ id: NORDWIND }]);
  });

  it('keep their type when alone, become text inside a text, and are escaped by $${', async () => {
    const reply = {
      status: 200,
      contract: 'violated',
      body: {
        whole: '${body.metadata}',
        text: 'of ${path.id}: ${body.metadata}, ${body.slug}',
        literal: '$${path.id} of ${path.id}',
        gone: '${body.external_id}',
        agent: '${headers.X-Agent}',
        who: '${caller.client_id}',
        at: '${service.url}/x',
      },
    };
    const { api } = await loaded({ rules: [{ on: 'OrganizationService_UpdateOrganization', reply }] });

    const { body } = await api
      .patch(organization(ACME))
      .set({ 'x-agent': 'a test', host: 'sim.test' })
      .send({ metadata: { plan: 'trial' } })
      .expect(200);

    expect(body).toEqual({
      whole: { plan: 'trial' },
      text: `of ${ACME}: {"plan":"trial"}, `,
      literal: `\${path.id} of ${ACME}`,
      agent: 'a test',
      who: 'skc_1000000000000000001',
      at: 'http://sim.test/x',
    });
  });

  it('work in a message and in a patch, together with parameters', async () => {
    const { api } = await loaded(
      {
        rules: [{ on: 'UserService_GetUser', reply: { error: 'not_found', message: 'no ${path.id} here' } }],
      },
      {
        params: { word: 'the ${path.id} of' },
        rules: [{ on: GET, patch: { organization: { display_name: '${word} ${path.id}' } } }],
      },
    );

    const refused = await api.get('/api/v1/users/usr_7').expect(404);
    const { body } = await api.get(organization(ACME)).expect(200);

    expect(refused.body.message).toBe('no usr_7 here');
    expect(body.organization.display_name).toBe(`the \${path.id} of ${ACME}`);
  });

  it('match no row when the call does not have the value', async () => {
    const edit = { match: { id: '${query.organization_id}' }, set: { display_name: 'Named' } };
    const rule = { on: 'ConnectionService_ListConnections', do: { organizations: [edit] } };
    const { api, control } = await boot({ now: NOW, brokenContract: true });
    await control
      .post('/scenarios')
      .send({ name: 'test', rules: [rule] })
      .expect(201);

    const { body } = await api.get('/api/v1/connections?include=all').expect(500);

    expect(body.message).toContain('organizations: no row matches: the call has no query.organization_id');
  });
});

describe('an edit with optional: true', () => {
  it('does nothing when no row matches', async () => {
    const { api } = await loaded(
      rename({ match: { id: '${path.id}', external_id: 'none' }, optional: true }),
      {
        rules: [
          {
            on: 'UserService_GetUser',
            do: { sessions: [{ delete: { match: { id: 'ses_404' } }, optional: true }] },
          },
        ],
      },
    );

    const { body } = await api.get(organization(ACME)).expect(200);
    await api.get('/api/v1/users/usr_10000000000000101').expect(200);

    expect(body.organization.display_name).toBe('Acme Corp');
  });
});

describe('an insert with a match', () => {
  it('inserts the row only when no row matches', async () => {
    const insert = {
      domain: 'new.example',
      organization_id: '${path.id}',
      domain_type: 'ALLOWED_EMAIL_DOMAIN',
    };
    const others = {
      verification_status: 'AUTO_VERIFIED',
      verification_method: 'NOT_APPLICABLE',
      txt_record_key: '',
      txt_record_secret: '',
      create_time: 'now',
      update_time: 'now',
    };
    const edit = {
      match: { domain: 'new.example', organization_id: '${path.id}' },
      insert: { ...insert, ...others },
    };
    const { api, control } = await loaded({ rules: [{ on: GET, do: { domains: [edit] } }] });

    for (const id of [ACME, NORDWIND, ACME]) await api.get(organization(id)).expect(200);

    const { body } = await control.get('/state/domains').expect(200);
    const made = body.rows.filter(({ domain }: { domain: string }) => domain === 'new.example');
    expect(made.map((each: { organization_id: string }) => each.organization_id)).toEqual([ACME, NORDWIND]);
  });
});

describe('an edit with for', () => {
  it('edits each matching row, with values of the row', async () => {
    const edit = {
      for: { memberships: { organization_id: '${path.id}', membership_status: 'ACTIVE' } },
      match: { id: '${row.user_id}' },
      set: { metadata: { place: '${path.id}', status: '${row.membership_status}' } },
    };
    const { api, control } = await loaded({ rules: [{ on: GET, do: { users: [edit] } }] });

    await api.get(organization(ACME)).expect(200);

    const { body } = await control.get('/state/users').expect(200);
    const changed = body.rows.filter(
      ({ metadata }: { metadata: { place?: string } }) => metadata.place === ACME,
    );
    expect(changed.map(({ id }: { id: string }) => id.slice(-3))).toEqual(['101', '102', '103']);
    expect(changed[0].metadata).toEqual({ place: ACME, status: 'ACTIVE' });
  });

  it('works under `state`', async () => {
    const edit = {
      for: { organizations: { slug: 'acme' } },
      match: { organization_id: '${row.id}' },
      set: { membership_status: 'INACTIVE' },
    };
    const { control } = await loaded({ state: { memberships: [edit] } });

    const { body } = await control.get('/state/memberships/mem_10000000000000001').expect(200);

    expect(body.membership_status).toBe('INACTIVE');
  });
});

describe('a rule with continue: true', () => {
  it('changes rows and lets a later rule reply', async () => {
    const { api, control } = await loaded(
      { restore: true, rules: [{ ...rename({ match: { id: '${path.id}' } }).rules[0], continue: true }] },
      { rules: [{ on: GET, times: 1, reply: { error: 'unavailable' } }] },
    );

    await api.get(organization(ACME)).expect(503);
    const { body } = await api.get(organization(ACME)).expect(200);
    const journal = await control.get(`/requests?operation=${GET}`).expect(200);
    await control.delete('/scenarios/test-0').expect(204);
    const restored = await api.get(organization(ACME)).expect(200);

    expect(body.organization.display_name).toBe('Named');
    expect(restored.body.organization.display_name).toBe('Acme Corp');
    const considered = journal.body.requests.map(
      (each: { scenario: { considered: { applied: boolean }[] } }) =>
        each.scenario.considered.map(({ applied }) => applied),
    );
    expect(considered).toContainEqual([true, true]);
    expect(considered).toContainEqual([true, false]);
  });
});

describe('if_given and unless_given', () => {
  const scenario = {
    params: { name: { type: 'string', optional: true } },
    state: {
      organizations: [{ if_given: 'name', match: { id: ACME }, set: { display_name: '${name}' } }],
    },
    rules: [
      { if_given: ['name'], on: GET, reply: { error: 'not_found', message: 'given ${name}' } },
      { unless_given: 'name', on: GET, reply: { error: 'not_found', message: 'not given' } },
    ],
  };

  it('select the edits and rules of a scenario by whether a parameter has a value', async () => {
    const without = await loaded(scenario);
    const given = await loaded({ ...scenario, params: { name: { type: 'string', default: 'Acme AG' } } });

    const { body: one } = await without.api.get(organization(ACME)).expect(404);
    const { body: other } = await given.api.get(organization(ACME)).expect(404);
    const { body: row } = await given.control.get(`/state/organizations/${ACME}`).expect(200);

    expect([one.message, other.message]).toEqual(['not given', 'given Acme AG']);
    expect(row.display_name).toBe('Acme AG');
  });
});

describe('errors in values of a call', () => {
  const rule = (lines: string, on = GET) => `name: test\nrules:\n  - on: ${on}\n    ${lines}\n`;

  it.each([
    [
      'an unknown path parameter',
      rule("do: { organizations: [{ match: { id: '${path.idd}' }, set: { slug: a } }] }"),
      '4:42 rules[0].do.organizations[0].match.id: ${path.idd}: none of the operations has the path parameter idd; did you mean id?',
    ],
    [
      'an unknown member of the body',
      rule(
        "reply: { error: not_found, message: 'no ${body.display_nam}' }",
        'OrganizationService_UpdateOrganization',
      ),
      '4:41 rules[0].reply.message: ${body.display_nam}: none of the operations has the member display_nam; did you mean display_name?',
    ],
    [
      'an unknown member of the caller',
      rule("patch: { organization: { display_name: '${caller.client}' } }"),
      '4:44 rules[0].patch.organization.display_name: ${caller.client}: a caller has no client; did you mean client_id?',
    ],
    [
      'an unknown member of the row',
      rule(
        "do: { users: [{ for: { organizations: { id: '${path.id}' } }, match: { id: '${row.nam}' }, set: { email: a@b.example } }] }",
      ),
      '4:80 rules[0].do.users[0].match.id: ${row.nam}: a row of organization has no member nam',
    ],
    [
      'a value of a row without `for`',
      rule("do: { users: [{ match: { id: '${row.id}' }, set: { email: a@b.example } }] }"),
      '4:34 rules[0].do.users[0].match.id: ${row.id}: only an edit with for has a row, and only outside of the for',
    ],
    [
      'a value of a call under `state`',
      "name: test\nstate:\n  users: [{ match: { id: '${path.id}' }, set: { email: a@b.example } }]\n",
      '3:26 state.users[0].match.id: unknown placeholder ${path.id}; values of a call (path, query, body, headers, caller, service) are for do, patch, and message, headers, body, violations, tool of reply; those of a row for an edit with for',
    ],
    [
      'two collections in `for`',
      rule(
        'do: { users: [{ for: { organizations: { id: a }, users: { id: b } }, match: { id: a }, set: { email: a@b.example } }] }',
      ),
      '4:26 rules[0].do.users[0].for: is written `for: { users: { external_id: … } }`',
    ],
    [
      'an unknown parameter in `if_given`',
      "name: test\nparams: { user_id: { type: string, optional: true } }\nrules:\n  - if_given: usr_id\n    on: UserService_GetUser\n    when: { path: { id: '${user_id}' } }\n    reply: { error: not_found }\n",
      '4:15 rules[0].if_given: unknown parameter usr_id; did you mean user_id?',
    ],
    [
      'an error in a rule that `if_given` leaves out',
      "name: test\nparams: { user_id: { type: string, optional: true } }\nrules:\n  - if_given: user_id\n    on: UserService_GetUsr\n    when: { path: { id: '${user_id}' } }\n    reply: { error: not_found }\n",
      '5:9 rules[0].on: unknown operation UserService_GetUsr; did you mean UserService_GetUser?',
    ],
    [
      '`continue` together with a reply',
      rule('continue: true\n    reply: { error: not_found }'),
      '4:5 rules[0].continue: goes only with do: a rule with another effect decides the answer, so that no later rule applies',
    ],
  ])('are reported for %s', (_, text, expected) => {
    expect(complain(text)).toContainEqual(expected);
  });
});
