import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';

const GET = 'OrganizationService_GetOrganization';
const ACME = '/api/v1/organizations/org_10000000000000001';
const reply = { error: 'unavailable' };

/** The scenario decision in the journal entry of the last call. */
async function lastDecision(control: Agent): Promise<Record<string, unknown>> {
  const { body } = await control.get('/requests').expect(200);
  return body.requests.at(-1).scenario;
}

async function rigged(...rules: object[]) {
  const booted = await boot();
  await booted.control.post('/scenarios').send({ name: 'rigged', rules }).expect(201);
  return booted;
}

describe('the scenario decision in a journal entry', () => {
  it('names the applied rule and the reason why each earlier rule did not apply', async () => {
    const { api, control } = await rigged(
      { on: GET, when: { path: { id: 'org_2' }, headers: { 'x-trace': 'a' } }, reply },
      { on: GET, after: 2, reply },
      { on: '*', times: 3, reply },
      { on: GET, reply },
      { on: 'OAuth_Token', reply },
    );

    await api.get(ACME).expect(503);

    expect(await lastDecision(control)).toEqual({
      name: 'rigged',
      rule: 2,
      considered: [
        {
          scenario: 'rigged',
          rule: 0,
          applied: false,
          reason:
            'when.path.id: wanted org_2, was org_10000000000000001; when.headers.x-trace: wanted a, was absent',
        },
        { scenario: 'rigged', rule: 1, applied: false, reason: 'after: 1 of 2 matching calls let pass' },
        { scenario: 'rigged', rule: 2, applied: true, reason: 'matches; applied 1 of 3 times' },
        {
          scenario: 'rigged',
          rule: 3,
          applied: false,
          reason: 'not asked: rigged rules[2] was applied before',
        },
      ],
    });
  });

  it('keeps the counters as they were at the time of the call', async () => {
    const { api, control } = await rigged({ on: GET, every: 2, times: 1, reply });
    const reasons = async () => {
      const { body } = await control.get('/requests').expect(200);
      return body.requests.map((each: { scenario: { considered: { reason: string }[] } }) =>
        each.scenario.considered.map(({ reason }) => reason),
      );
    };
    for (const status of [200, 503, 200]) await api.get(ACME).expect(status);
    const before = await reasons();
    await control.delete('/scenarios').expect(204);

    expect(before.slice(-3)).toEqual([
      ['every 2: this was call 1'],
      ['matches; every 2: this was call 2; applied 1 of 1 times'],
      ['used up: applied 1 of 1 times'],
    ]);
    expect(await reasons()).toEqual(before);
  });

  it('shows the random draw, which is the same in each run', async () => {
    const run = async () => {
      const { api, control } = await rigged({ on: GET, probability: 0.5, reply });
      const statuses: number[] = [];
      const reasons: unknown[] = [];
      for (let i = 0; i < 20; i += 1) {
        statuses.push((await api.get(ACME)).status);
        reasons.push((await lastDecision(control))['considered']);
      }
      return { statuses, reasons };
    };

    const [first, second] = [await run(), await run()];

    expect(first).toEqual(second);
    expect(new Set(first.statuses)).toEqual(new Set([200, 503]));
    expect(JSON.stringify(first.reasons)).toMatch(/"probability 0.5: drew 0\.\d+"/);
  });

  it('is empty when no rule is for the operation', async () => {
    const { api, control } = await rigged({ on: 'UserService_GetUser', reply });

    await api.get(ACME).expect(200);

    expect(await lastDecision(control)).toEqual({ considered: [] });
  });

  it('redacts secrets of the call and the values they were compared with', async () => {
    const details = (secrets: object) => ({ connected_account: { authorization_details: secrets } });
    const on = 'ConnectedAccountService_CreateConnectedAccount';
    const { api, control } = await rigged(
      { on, when: { headers: { authorization: 'Bearer other' } }, reply },
      { on, when: { body: details({ static_auth: { details: { api_key: 'other' } } }) }, reply },
      { on, when: { body: details({ oauth_token: { access_token: 'other' } }) }, reply },
    );

    await api
      .post('/api/v1/connected_accounts')
      .send(details({ static_auth: { details: { api_key: 'sesame' } } }));
    await api.post('/api/v1/connected_accounts').send(details({ oauth_token: { access_token: 'sesame' } }));
    const { body } = await control.get('/requests').expect(200);
    const told = JSON.stringify(
      body.requests.slice(-2).map(({ scenario }: { scenario: object }) => scenario),
    );

    expect(told).toMatch(/api_key: wanted another, was \[redacted\]/);
    expect(told).toMatch(/access_token: wanted another, was \[redacted\]/);
    expect(told).toMatch(/headers.authorization: wanted another, was \[redacted\]/);
    expect(told).not.toMatch(/sesame|Bearer|other\b"/);
  });

  it('shows at most 50 rules, those that match the call first', async () => {
    const others = Array.from({ length: 80 }, (_, i) => ({
      on: GET,
      when: { path: { id: `org_${i}` } },
      reply,
    }));
    const { api, control } = await rigged(...others, { on: GET, after: 1, reply }, { on: GET, reply });

    await api.get(ACME).expect(503);
    const { considered, not_shown, rule } = await lastDecision(control);

    expect([rule, not_shown, (considered as object[]).length]).toEqual([81, 32, 50]);
    expect((considered as object[]).slice(-2)).toMatchObject([
      { rule: 80, applied: false, reason: 'after: 1 of 1 matching calls let pass' },
      { rule: 81, applied: true, reason: 'matches' },
    ]);
  });

  it('also lists rules of scenarios loaded later, matching rules first', async () => {
    const { api, control } = await rigged({ on: GET, reply });
    const others = Array.from({ length: 80 }, (_, i) => ({
      on: GET,
      when: { path: { id: `org_${i}` } },
      reply,
    }));
    const rules = [...others, { on: GET, times: 1, reply }];
    await control.post('/scenarios').send({ name: 'later', rules }).expect(201);

    await api.get(ACME).expect(503);
    const { considered, not_shown, name } = await lastDecision(control);

    expect([name, not_shown, (considered as object[]).length]).toEqual(['rigged', 32, 50]);
    const reason = 'not asked: rigged rules[0] was applied before';
    expect((considered as object[])[0]).toMatchObject({ scenario: 'rigged', applied: true });
    expect((considered as object[])[1]).toMatchObject({ scenario: 'later', rule: 0, reason });
    expect((considered as object[]).at(-1)).toEqual({ scenario: 'later', rule: 80, applied: false, reason });
  });

  it('names the path when it does not match the path of the rule', async () => {
    const { api, control } = await rigged({ on: { path: '/api/v1/organizations/org_2*' }, reply });

    await api.get(ACME).expect(200);

    expect(await lastDecision(control)).toMatchObject({
      considered: [{ reason: `on.path: wanted /api/v1/organizations/org_2*, was ${ACME}` }],
    });
  });
});
