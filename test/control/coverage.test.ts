import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';

const ORGANIZATIONS = '/api/v1/organizations';
const ACME = `${ORGANIZATIONS}/org_10000000000000001`;
const GET = 'OrganizationService_GetOrganization';

interface Operation {
  id: string;
  calls: number;
  responses: { status: number; expected: boolean; seen: number }[];
  bindings: { id: string; calls: number }[];
}

const operation = (report: { operations: Operation[] }, id: string) =>
  report.operations.find((each) => each.id === id)!;

describe('GET /coverage', () => {
  it('starts with only the token request', async () => {
    const { control } = await boot();

    const { body } = await control.get('/coverage').expect(200);

    expect(body).toMatchObject({
      format: 1,
      contract: { version: '1.0.0' },
      summary: {
        calls: 1,
        operations: { covered: 1, percent: Math.floor(1000 / body.operations.length) / 10 },
        responses: { covered: 1 },
        failures: { covered: 0, total: 14, percent: 0 },
        rules: { covered: 0, total: 0, percent: 100 },
      },
      outside: { calls: [], answers: [] },
      rules: [],
    });
    expect(body.summary.operations.total).toBe(body.operations.length);
    expect(body.operations.length).toBeGreaterThan(170);
  });

  it('counts an operation by status: the expected statuses and others that were seen', async () => {
    const { api, anonymous, control } = await boot();
    await api.get(ACME).expect(200);
    await api.get(ACME).expect(200);
    await anonymous.get(ACME).expect(401);

    const { body } = await control.get('/coverage').expect(200);

    expect(operation(body, GET)).toEqual({
      id: GET,
      tag: 'Organizations',
      summary: expect.any(String),
      calls: 3,
      declared: [200, 400, 401, 403, 404, 409, 410, 413, 415, 429, 500, 501, 503, 504],
      responses: [
        { status: 200, expected: true, seen: 2 },
        { status: 401, expected: false, seen: 1 },
        { status: 404, expected: true, seen: 0 },
      ],
      bindings: [{ id: GET, method: 'GET', path: `${ORGANIZATIONS}/{id}`, calls: 3 }],
    });
    expect(body.failures).toContainEqual({ status: 401, operations: 1, seen: 1 });
    expect(body.tags).toContainEqual(
      expect.objectContaining({
        name: 'Organizations',
        calls: 3,
        operations: expect.objectContaining({ covered: 1 }),
      }),
    );
  });

  it('counts emitted events, also after a reset, and lists the event types that were not emitted', async () => {
    const { api, control } = await boot();
    await api.post(ORGANIZATIONS).send({ display_name: 'Hooli' }).expect(201);
    await api.post(ORGANIZATIONS).send({ display_name: 'Pied Piper' }).expect(201);
    await control.post('/reset').expect(204);

    const { body } = await control.get('/coverage').expect(200);

    expect(body.summary.events).toEqual({ covered: 1, total: 41, percent: 2.4 });
    expect(body.events).toContainEqual({ type: 'organization.created', seen: 2 });
    expect(body.events).toContainEqual({ type: 'role.deleted', seen: 0 });
    const all = await control.get('/coverage?environments=all').expect(200);
    expect(all.body.runs[0].events).toEqual({ 'organization.created': 2 });
    await control.delete('/coverage').expect(204);
    const after = await control.get('/coverage').expect(200);
    expect(after.body.summary.events.covered).toBe(0);
  });

  it('expects an error status only when a request can cause it', async () => {
    const { control } = await boot();

    const { body } = await control.get('/coverage').expect(200);

    const expected = (id: string) => operation(body, id).responses.map(({ status }) => status);
    expect(expected('OrganizationService_CreateOrganization')).toEqual([201, 400]);
    expect(expected('OrganizationService_UpdateOrganization')).toEqual([200, 400, 404]);
    expect(expected('OrganizationService_ListOrganization')).toEqual([200, 400]);
    expect(expected('OrganizationService_DeleteOrganization')).toEqual([200, 404]);
  });

  it('counts all paths of an operation as one operation and lists them', async () => {
    const { api, control } = await boot();
    await api.get('/api/v1/users/usr_404').expect(404);
    await api.get('/api/v1/users:external/nobody').expect(404);
    await api.get('/api/v1/users:external/nobody').expect(404);

    const { body } = await control.get('/coverage').expect(200);

    expect(operation(body, 'UserService_GetUser')).toMatchObject({
      calls: 3,
      responses: [
        { status: 200, expected: true, seen: 0 },
        { status: 404, expected: true, seen: 3 },
      ],
      bindings: [
        { id: 'UserService_GetUser', calls: 1 },
        { id: 'UserService_GetUser2', path: '/api/v1/users:external/{external_id}', calls: 2 },
      ],
    });
  });

  it('lists calls outside the contract by path, with their count', async () => {
    const { api, control } = await boot();
    await api.get('/api/v1/organisations').expect(404);
    await api.get('/api/v1/organisations?page_size=1').expect(404);
    await api.put(ORGANIZATIONS).send({}).expect(405);

    const { body } = await control.get('/coverage').expect(200);

    expect(body.outside.calls).toEqual([
      { method: 'GET', path: '/api/v1/organisations', status: 404, seen: 2 },
      { method: 'PUT', path: ORGANIZATIONS, status: 405, seen: 1 },
    ]);
    expect(body.summary).toMatchObject({ calls: 4, operations: { covered: 1 } });
  });

  it('lists at most 200 different calls outside the contract', async () => {
    const { api, control } = await boot();
    for (let n = 0; n < 203; n += 1) await api.get(`/nowhere/${n}${'x'.repeat(300)}`).expect(404);

    const { body } = await control.get('/coverage').expect(200);

    expect(body.outside.calls).toHaveLength(201);
    expect(body.outside.calls).toContainEqual({ method: '*', path: '*', status: 404, seen: 3 });
  });

  it('counts responses outside the contract separately: they cover no response', async () => {
    const { api, control } = await boot();
    const reply = { status: 200, body: { organisation: 7 }, contract: 'violated' };
    await control
      .post('/scenarios')
      .send({ name: 'liar', rules: [{ on: GET, times: 1, reply }] })
      .expect(201);
    await api.get(ACME).expect(200);

    const { body } = await control.get('/coverage').expect(200);

    expect(body.outside.answers).toEqual([{ operation: GET, status: 200, seen: 1 }]);
    expect(operation(body, GET)).toMatchObject({
      calls: 1,
      responses: [
        { status: 200, expected: true, seen: 0 },
        { status: 404, expected: true, seen: 0 },
      ],
    });
  });

  it('has the latest 5000 rules, for any number of scenarios', async () => {
    const { control } = await boot();
    const rule = { on: 'OAuth_Token', times: 1, fault: { delay: '0s' } };
    const load = (name: string, count: number) =>
      control
        .post('/scenarios')
        .send({ name, rules: Array.from({ length: count }, () => rule) })
        .expect(201);
    for (let index = 0; index < 10; index += 1) await load(`many-${index}`, 500);
    await control.delete('/scenarios').expect(204);
    await load('one-more', 1);

    const { body } = await control.get('/coverage').set('accept', 'application/json').expect(200);

    expect(body.rules).toHaveLength(5000);
    expect(body.rules[0]).toMatchObject({ scenario: 'many-0', rule: 1 });
    expect(body.rules.at(-1)).toMatchObject({ scenario: 'one-more', rule: 0 });
  });

  it('counts how often each loaded rule was applied', async () => {
    const { api, control } = await boot();
    const rules = [
      { on: GET, times: 1, reply: { error: 'rate_limited' } },
      { on: 'ToolService_*', fault: { delay: '1ms' } },
    ];
    await control.post('/scenarios').send({ name: 'own', rules }).expect(201);
    await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
    await api.get(ACME).expect(429);
    await control.delete('/scenarios').expect(204);

    const { body } = await control.get('/coverage').expect(200);

    expect(body.rules).toEqual([
      { scenario: 'own', rule: 0, on: GET, loaded: 1, fired: 1 },
      { scenario: 'own', rule: 1, on: 'ToolService_*', loaded: 1, fired: 0 },
      {
        scenario: 'rate-limit-once',
        rule: 0,
        on: expect.any(String),
        file: 'scenarios/rate-limit-once.yaml',
        loaded: 1,
        fired: 0,
      },
    ]);
    expect(body.summary.rules).toEqual({ covered: 1, total: 3, percent: 33.3 });
    expect(operation(body, GET).responses).toContainEqual({ status: 429, expected: false, seen: 1 });
  });
});

describe('coverage of several environments', () => {
  it('is separate, by header and by path', async () => {
    const { api, control, environment } = await boot();
    const worker = await environment('worker');
    await worker.api.get(ORGANIZATIONS).expect(200);
    await api.get(ACME).expect(200);

    const { body: own } = await worker.control.get('/coverage').expect(200);
    const { body: byPath } = await control.get('/environments/worker/coverage').expect(200);
    const { body: others } = await control.get('/coverage').expect(200);

    expect(operation(own, GET).calls).toBe(0);
    expect(operation(own, 'OrganizationService_ListOrganization').calls).toBe(1);
    expect(byPath).toEqual(own);
    expect(operation(others, GET).calls).toBe(1);
  });

  it('is merged with environments=all, including deleted environments', async () => {
    const { api, control, environment } = await boot();
    for (const name of ['one', 'two']) {
      const worker = await environment(name);
      await worker.control.post('/scenarios').send({ name: 'rate-limit-always' }).expect(201);
      await worker.api.get(ACME).expect(429);
      await worker.api.get('/nowhere').expect(404);
      await control.delete(`/environments/${name}`).expect(204);
    }
    await api.get(ACME).expect(200);

    const { body } = await control.get('/coverage?environments=all').expect(200);

    expect(operation(body, GET)).toMatchObject({
      calls: 3,
      responses: [
        { status: 200, seen: 1 },
        { status: 404, seen: 0 },
        { status: 429, seen: 2 },
      ],
    });
    expect(body.outside.calls).toEqual([{ method: 'GET', path: '/nowhere', status: 404, seen: 2 }]);
    expect(body.rules).toEqual([
      expect.objectContaining({ scenario: 'rate-limit-always', loaded: 2, fired: 2 }),
    ]);
    expect(body.runs).toEqual([expect.objectContaining({ environment: '*' })]);
  });

  it('responds 404 for an unknown environment', async () => {
    const { control } = await boot();

    const { body } = await control.get('/environments/wroker/coverage').expect(404);

    expect(body.message).toContain('environment wroker not found');
  });
});

describe('clearing coverage', () => {
  it('does not happen on a reset, because a suite resets between its tests', async () => {
    const { api, control } = await boot();
    await api.get(ACME).expect(200);
    await control.post('/reset').expect(204);
    await control.delete('/requests').expect(204);

    const { body } = await control.get('/coverage').expect(200);

    expect(operation(body, GET).calls).toBe(1);
  });

  it('happens with DELETE, in one environment or in all; rules stay listed', async () => {
    const { api, control, environment } = await boot();
    const worker = await environment('worker');
    await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
    await api.get(ACME).expect(429);
    await worker.api.get(ACME).expect(200);
    const { body: before } = await control.get('/coverage?environments=all').expect(200);

    await control.delete('/coverage').expect(204);

    const { body: here } = await control.get('/coverage').expect(200);
    const { body: all } = await control.get('/coverage?environments=all').expect(200);
    expect(here.summary).toMatchObject({ calls: 0, rules: { covered: 0, total: 1 } });
    expect(all.summary.calls).toBe(2);
    expect(all.runs[0].id).not.toBe(before.runs[0].id);

    await control.delete('/coverage?environments=all').expect(204);

    const { body: nothing } = await control.get('/coverage?environments=all').expect(200);
    expect(nothing.summary).toMatchObject({ calls: 0, operations: { covered: 0 } });
  });

  it('refuses unknown parameters', async () => {
    const { control } = await boot();

    await control.delete('/coverage?environments=none').expect(400);
    await control.get('/coverage?format=xml').expect(400);
    await control.get('/coverage?environment=all').expect(400);
  });
});

describe('the HTML coverage report', () => {
  it('is sent to browsers and with format=html', async () => {
    const { control } = await boot();

    const asked = await control.get('/coverage?format=html').expect(200);
    const browser = await control
      .get('/coverage')
      .set('accept', 'text/html,application/xhtml+xml,*/*;q=0.8')
      .expect(200);
    const script = await control.get('/coverage?format=json').set('accept', 'text/html').expect(200);

    expect(asked.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(browser.text).toBe(asked.text);
    expect(script.body.format).toBe(1);
  });

  it('shows each operation with its statuses, the rules, and the calls outside the contract', async () => {
    const { api, control } = await boot();
    await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
    await api.get(ACME).expect(429);
    await api.get(ACME).expect(200);
    await api.get('/nowhere').expect(404);

    const { text } = await control.get('/coverage?format=html').expect(200);

    expect(text).toMatch(/^<!doctype html>/);
    expect(text.match(/class="operation /g)).toHaveLength(
      (await control.get('/coverage')).body.operations.length,
    );
    expect(text).toMatch(/OrganizationService_<wbr \/>GetOrganization<\/h4>/);
    expect(text).toContain('<span class="chip seen" title="expected and seen">200 × 1</span>');
    expect(text).toContain('<span class="chip other" title="seen, but not expected">429 × 1</span>');
    expect(text).toContain('<span class="chip unseen" title="expected, never seen">404</span>');
    expect(text).toContain('<code>scenarios/rate-limit-once.yaml</code>');
    expect(text).toContain('<code>GET /nowhere</code>');
  });

  it('has the headers of every page and allows only its own inline script and style', async () => {
    const { control, anonymous } = await boot();

    const { text, headers } = await control.get('/coverage?format=html').expect(200);

    const front = await anonymous.get('/').set('accept', 'text/html').expect(200);
    const names = Object.keys(front.headers).filter((name) =>
      /^(content-security|referrer|cache|x-)/.test(name),
    );
    expect(names).toHaveLength(4);
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(names));
    const inline = [...text.matchAll(/<(style|script)>([^]*?)<\/\1>/g)].map(([, kind, content = '']) => {
      const digest = createHash('sha256').update(content).digest('base64');
      return `${kind}-src 'sha256-${digest}'`;
    });
    expect(inline).toHaveLength(2);
    for (const rule of inline) expect(headers['content-security-policy']).toContain(rule);
    expect(text).not.toMatch(/ (style|on[a-z]+)=/);
  });

  it('expects each documented success status, redirects included', async () => {
    const { control, anonymous } = await boot();
    await anonymous.get('/oidc/logout').expect(200);

    const { body } = await control.get('/coverage').expect(200);

    expect(operation(body, 'Logout_EndSession').responses.slice(0, 2)).toEqual([
      { status: 200, expected: true, seen: 1 },
      { status: 302, expected: true, seen: 0 },
    ]);
  });

  it('does not count the favicon that browsers request', async () => {
    const { control, anonymous } = await boot();

    const icon = await anonymous.get('/favicon.ico').expect(200);

    expect([icon.headers['content-type'], icon.body.length > 100]).toEqual(['image/x-icon', true]);
    expect((await control.get('/coverage')).body.outside.calls).toEqual([]);
    const { requests } = (await control.get('/requests')).body;
    expect(requests.map(({ path }: { path: string }) => path)).not.toContain('/favicon.ico');
  });

  it('loads nothing from other hosts and escapes paths', async () => {
    const { api, control } = await boot();
    await api.get("/nowhere/&lt;b title='x'&gt;").expect(404);

    const { text } = await control.get('/coverage?format=html').expect(200);

    expect(text).toContain('<code>GET /nowhere/&amp;lt;b%20title=&#39;x&#39;&amp;gt;</code>');
    expect(text).not.toMatch(/(src|href)=|url\(|@import|https?:/);
  });
});
