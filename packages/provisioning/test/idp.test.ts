import { describe, expect, it } from 'vitest';
import { bootOnce, type Booted } from '../../../test/support/boot.ts';
import { ACME, OKTA_DIRECTORY } from '../../../test/support/fixture-ids.ts';

const { fresh } = bootOnce();

const NOW = '2030-01-01T00:00:00.000Z';

const frozen = () => fresh({ clock: { mode: 'frozen', at: NOW } });

interface Requested {
  method: string;
  path: string;
  status: number;
}

const act = async ({ control }: Booted, action: object) =>
  (await control.post('/idp/actions').send(action).expect(200)).body;

/** The requests of the pushes, as `POST /Users 201`, with `…` for ids. */
const requestsOf = ({ pushes }: { pushes: { kind: string; attempts: { requests: Requested[] }[] }[] }) =>
  pushes
    .filter(({ kind }) => kind !== 'connect')
    .flatMap(({ attempts }) => attempts.flatMap(({ requests }) => requests))
    .map(({ method, path, status }) => `${method} ${path.replace(/dir(user|group)_\d+/, '…')} ${status}`);

const directoryUser = async ({ api }: Booted, email: string, directory = OKTA_DIRECTORY) => {
  const { body } = await api
    .get(`/api/v1/organizations/${ACME}/directories/${directory}/users?page_size=30&include_detail=true`)
    .expect(200);
  return body.users.find((user: { email: string }) => user.email === email);
};

/** People whom something else than the provider has put into the directory. Returns their ids. */
async function fillDirectory({ control }: Booted, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `diruser_${90_000 + index}`);
  for (const [index, id] of ids.entries()) {
    const email = `p${index}@acme.example`;
    const row = { id, directory_id: OKTA_DIRECTORY, email, preferred_username: email, updated_at: NOW };
    await control
      .put(`/state/directory_users/${id}`)
      .send({ ...row, emails: [email], group_ids: [] })
      .expect(200);
  }
  return ids;
}

const isInDirectory = async ({ control }: Booted, email: string) => {
  const { body } = await control.get('/state/directory_users').expect(200);
  return body.rows.some((user: { email: string }) => user.email === email);
};

const members = async ({ control }: Booted, email: string) => {
  const { body } = await control.get('/state').expect(200);
  const user = body.users.find((each: { email: string }) => each.email === email);
  return body.memberships.filter((each: { user_id: string }) => each.user_id === user?.id);
};

describe('an identity provider', () => {
  it('pushes a new person, who gets an account and a membership', async () => {
    const booted = await frozen();
    const { body: endpoint } = await booted.control.post('/webhooks/endpoints').send({ kind: 'inbox' });

    const okta = await act(booted, {
      action: 'create',
      provider: 'okta',
      user: 'mia@acme.example',
      given_name: 'Mia',
      family_name: 'Lang',
      groups: ['Finance'],
    });

    expect(requestsOf(okta)).toEqual([
      'GET /Users?filter=userName+eq+%22mia%40acme.example%22 200',
      'POST /Users 201',
      'PATCH /Groups/… 200',
    ]);
    expect(await directoryUser(booted, 'mia@acme.example')).toMatchObject({
      given_name: 'Mia',
      family_name: 'Lang',
      groups: [{ display_name: 'Finance' }],
    });
    expect(await members(booted, 'mia@acme.example')).toMatchObject([{ membership_status: 'ACTIVE' }]);
    const { body } = await booted.control.get('/webhooks/deliveries').expect(200);
    const types = body.deliveries
      .filter((each: { endpoint_id: string }) => each.endpoint_id === endpoint.id)
      .map((each: { event_type: string }) => each.event_type);
    expect(types).toContain('organization.directory.user_created');
  });

  it('calls over the port: the journal has the requests, with the name of the provider', async () => {
    const booted = await frozen();

    await act(booted, { action: 'deactivate', provider: 'okta', user: 'ada@acme.example' });

    const { body } = await booted.control.get('/requests?operation=Scim_*').expect(200);
    expect(body.requests).toMatchObject([
      { operation: 'Scim_ListUsers', status: 200 },
      { operation: 'Scim_PatchUser', status: 200, protocol: 'http/1.1' },
    ]);
    expect(body.requests[1].request.headers['user-agent']).toMatch(/^Okta/);
  });

  it.each([
    [
      'okta',
      [
        'GET /Users?filter=userName+eq+%22mia%40acme.example%22 200',
        'POST /Users 201',
        'GET /Groups?filter=displayName+eq+%22Sales%22 200',
        'POST /Groups 201',
      ],
      ['PUT /Users/… 200'],
      ['PATCH /Groups/… 200'],
      ['PATCH /Users/… 200'],
    ],
    [
      'entra',
      [
        'GET /Users?filter=userName+eq+%22mia%40acme.example%22 200',
        'POST /Users 201',
        'GET /Groups?excludedAttributes=members&filter=displayName+eq+%22Sales%22 200',
        'POST /Groups 201',
        'PATCH /Groups/… 200',
      ],
      ['PATCH /Users/… 200'],
      ['PATCH /Groups/… 200'],
      ['DELETE /Users/… 204'],
    ],
    [
      'google',
      [
        'GET /Users?filter=userName+eq+%22mia%40acme.example%22 200',
        'POST /Users 201',
        'GET /Groups?filter=displayName+eq+%22Sales%22 200',
        'POST /Groups 201',
      ],
      ['PATCH /Users/… 200'],
      ['PATCH /Groups/… 200'],
      ['DELETE /Users/… 204'],
    ],
    [
      'generic',
      [
        'GET /Groups?filter=displayName+eq+%22Sales%22 200',
        'POST /Groups 201',
        'GET /Users?filter=userName+eq+%22mia%40acme.example%22 200',
        'POST /Users 201',
        'PATCH /Groups/… 200',
      ],
      ['PATCH /Users/… 200'],
      ['PATCH /Groups/… 200'],
      ['DELETE /Users/… 204'],
    ],
  ])('speaks as %s does', async (provider, created, renamed, moved, deleted) => {
    const booted = await frozen();
    const as = (action: object) =>
      act(booted, { provider, organization_id: ACME, user: 'mia@acme.example', ...action });

    const first = await as({ action: 'create', groups: ['Sales'] });
    const directory = first.directory_id as string;
    expect(requestsOf(first)).toEqual(created);
    expect(requestsOf(await as({ action: 'change', given_name: 'Maria' }))).toEqual(renamed);
    expect(await directoryUser(booted, 'mia@acme.example', directory)).toMatchObject({
      given_name: 'Maria',
      groups: [{ display_name: 'Sales' }],
    });
    expect(requestsOf(await as({ action: 'move', groups: [] }))).toEqual(moved);
    expect(await directoryUser(booted, 'mia@acme.example', directory)).toMatchObject({ groups: [] });
    expect(requestsOf(await as({ action: 'delete' }))).toEqual(deleted);
    const left = await members(booted, 'mia@acme.example');
    expect(left.map((each: { membership_status: string }) => each.membership_status)).toEqual(['INACTIVE']);
  });

  it('creates a person again with the same e-mail address', async () => {
    const booted = await frozen();
    const before = await act(booted, {
      action: 'create',
      provider: 'entra',
      organization_id: ACME,
      user: 'mia@acme.example',
    });

    const after = await act(booted, { action: 'recreate', provider: 'entra', user: 'mia@acme.example' });

    expect(requestsOf(after)).toEqual([
      'DELETE /Users/… 204',
      'GET /Users?filter=userName+eq+%22mia%40acme.example%22 200',
      'POST /Users 201',
    ]);
    const idOf = (idp: { users: { email: string; external_id: string }[] }) =>
      idp.users.find(({ email }) => email === 'mia@acme.example')!.external_id;
    expect(idOf(after)).not.toBe(idOf(before));
    const found = await members(booted, 'mia@acme.example');
    expect(found).toMatchObject([{ membership_status: 'ACTIVE' }]);
  });

  it('pushes late, when the clock of the environment says so', async () => {
    const booted = await frozen();
    const late = { action: 'change', provider: 'entra', directory_id: OKTA_DIRECTORY, late: 'cycle' };

    const idp = await act(booted, { ...late, user: 'ada@acme.example', family_name: 'Stone' });

    expect(idp.users[0]).toMatchObject({ family_name: 'Stone', is_pushed: false });
    expect(idp.pushes.at(-1)).toMatchObject({
      status: 'QUEUED',
      next_attempt_at: '2030-01-01T00:40:00.000Z',
    });
    await booted.control.post('/clock/advance').send({ by: '39m' }).expect(200);
    expect(await directoryUser(booted, 'ada@acme.example')).toMatchObject({ family_name: 'Byrne' });
    await booted.control.post('/clock/advance').send({ by: '1m' }).expect(200);
    expect(await directoryUser(booted, 'ada@acme.example')).toMatchObject({ family_name: 'Stone' });
  });

  it('syncs at once what waits', async () => {
    const booted = await frozen();
    const wanted = { provider: 'okta', user: 'ada@acme.example' };
    await act(booted, { action: 'deactivate', ...wanted, late: '2h' });

    const idp = await act(booted, { action: 'sync', provider: 'okta' });

    expect(requestsOf(idp)).toEqual(['PATCH /Users/… 200']);
    expect(idp.users[0]).toMatchObject({ active: false, is_pushed: true });
  });

  it('tries again after a failure, by the clock of the environment', async () => {
    const booted = await frozen();
    const wanted = { provider: 'okta', user: 'ada@acme.example' };
    await act(booted, { action: 'sync', provider: 'okta' });
    const rule = { on: 'Scim_PatchUser', times: 2, reply: { error: 'unavailable' } };
    await booted.control
      .post('/scenarios')
      .send({ name: 'down', rules: [rule] })
      .expect(201);

    const idp = await act(booted, { action: 'deactivate', ...wanted });

    expect(idp.pushes).toMatchObject([{ status: 'RETRYING', next_attempt_at: '2030-01-01T00:01:00.000Z' }]);
    await booted.control.post('/clock/advance').send({ by: '1m' }).expect(200);
    await booted.control.post('/clock/advance').send({ by: '5m' }).expect(200);
    const { body } = await booted.control.get('/idp').expect(200);
    expect(body.providers[0].pushes.at(-1)).toMatchObject({
      status: 'DONE',
      attempts: [
        { requests: [{ status: 503 }] },
        { time: '2030-01-01T00:01:00.000Z', requests: [{ status: 503 }] },
        { time: '2030-01-01T00:06:00.000Z', requests: [{ status: 200 }] },
      ],
    });
  });

  it('gives up, or puts itself into quarantine, as the provider does', async () => {
    const booted = await frozen();
    const rule = { on: 'Scim_PatchUser', reply: { error: 'unavailable' } };
    await booted.control
      .post('/scenarios')
      .send({ name: 'down', rules: [rule] })
      .expect(201);
    const wanted = { directory_id: OKTA_DIRECTORY, user: 'ada@acme.example' };
    await act(booted, { action: 'deactivate', provider: 'okta', ...wanted });
    await act(booted, { action: 'deactivate', provider: 'entra', ...wanted });

    for (let hours = 0; hours < 4; hours += 1)
      await booted.control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const { body } = await booted.control.get('/idp').expect(200);
    const [okta, entra] = body.providers.map((each: { pushes: object[] }) => each.pushes.at(-1));
    expect(okta).toMatchObject({ status: 'FAILED' });
    expect(okta.attempts).toHaveLength(5);
    expect(entra).toMatchObject({ status: 'RETRYING' });
    expect(entra.attempts).toHaveLength(4);
    expect(Date.parse(entra.next_attempt_at) - Date.parse(entra.attempts.at(-1).time)).toBe(86_400_000);
  });

  it.each([
    ['entra', '27d', '2d', 'the provisioning stops after four weeks of quarantine'],
    ['google', '23h', '2h', 'it gives up after a day'],
  ])('as %s, does not try for ever', async (provider, almost, rest) => {
    const booted = await frozen();
    const rule = { on: 'Scim_PatchUser', reply: { error: 'unavailable' } };
    await booted.control
      .post('/scenarios')
      .send({ name: 'down', rules: [rule] })
      .expect(201);
    const wanted = { directory_id: OKTA_DIRECTORY, provider };
    await act(booted, { action: 'deactivate', ...wanted, user: 'ada@acme.example' });
    const last = async () => (await booted.control.get('/idp').expect(200)).body.providers[0].pushes.at(-1);

    await booted.control.post('/clock/advance').send({ by: almost }).expect(200);
    const before = await last();
    await booted.control.post('/clock/advance').send({ by: rest }).expect(200);
    const after = await last();

    expect([before.status, after.status]).toEqual(['RETRYING', 'FAILED']);
    await booted.control.delete('/scenarios/down').expect(204);
    await act(booted, { action: 'sync', ...wanted });
    expect((await last()).status).toBe('DONE');
  });

  it.each([
    ['okta', 'FAILED'],
    ['entra', 'RETRYING'],
  ])('is refused another e-mail address, and %s does what it usually does then', async (provider, status) => {
    const booted = await frozen();
    const wanted = { provider, directory_id: OKTA_DIRECTORY, user: 'ada@acme.example' };

    const idp = await act(booted, { action: 'change', ...wanted, email: 'ada.byrne@acme.example' });

    const refusal = { status: 400, scim_type: 'mutability' };
    expect(idp.pushes.at(-1)).toMatchObject({ status, attempts: [{ requests: [refusal] }] });
    expect(idp.users[0]).toMatchObject({ email: 'ada.byrne@acme.example', is_pushed: false });
    expect(await directoryUser(booted, 'ada@acme.example')).toBeDefined();
  });

  it.each([
    ['7200', '2030-01-01T02:00:00.000Z'],
    ['99999999999999', '2030-01-31T00:00:00.000Z'],
  ])('waits as long as a 429 says, up to 30 days: %s', async (seconds, next_attempt_at) => {
    const booted = await frozen();
    await act(booted, { action: 'sync', provider: 'okta' });
    const reply = { error: 'rate_limited', headers: { 'retry-after': seconds } };
    const rule = { on: 'Scim_PatchUser', times: 1, reply };
    await booted.control
      .post('/scenarios')
      .send({ name: 'slow', rules: [rule] })
      .expect(201);

    const idp = await act(booted, { action: 'deactivate', provider: 'okta', user: 'ada@acme.example' });

    expect(idp.pushes).toMatchObject([{ next_attempt_at }]);
  });

  it.each(['okta', 'entra', 'google', 'generic'])('sends a wrong PATCH as %s', async (provider) => {
    const booted = await frozen();
    const wanted = { provider, directory_id: OKTA_DIRECTORY, user: 'ada@acme.example' };

    const idp = await act(booted, { action: 'send_patch', ...wanted });

    expect(idp.pushes.at(-1)).toMatchObject({ kind: 'patch', status: 'FAILED' });
    const [request] = idp.pushes.at(-1).attempts[0].requests;
    expect(request).toMatchObject({ method: 'PATCH', status: 400, detail: expect.any(String) });
    expect(await directoryUser(booted, 'ada@acme.example')).toMatchObject({ given_name: 'Ada' });
  });

  it('sends a PATCH of the tester', async () => {
    const booted = await frozen();
    const patch = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
    };

    const wanted = { provider: 'okta', user: 'ada@acme.example', patch };
    const idp = await act(booted, { action: 'send_patch', ...wanted });

    expect(idp.pushes.at(-1)).toMatchObject({ status: 'DONE' });
  });

  it('offboards as Entra ID does: deactivates, and deletes 30 days later', async () => {
    const booted = await frozen();
    const wanted = { provider: 'entra', directory_id: OKTA_DIRECTORY, user: 'ravi@acme.example' };

    const idp = await act(booted, { action: 'offboard', ...wanted });

    expect(requestsOf(idp)).toEqual(['PATCH /Users/… 200', 'PATCH /Groups/… 200', 'PATCH /Groups/… 200']);
    expect(await members(booted, 'ravi@acme.example')).toMatchObject([{ membership_status: 'INACTIVE' }]);
    await booted.control.post('/clock/advance').send({ by: '30d' }).expect(200);
    expect(await isInDirectory(booted, 'ravi@acme.example')).toBe(false);
  });

  it('keeps somebody who came back within these 30 days', async () => {
    const booted = await frozen();
    const wanted = { provider: 'entra', directory_id: OKTA_DIRECTORY, user: 'ravi@acme.example' };
    await act(booted, { action: 'offboard', ...wanted });
    await act(booted, { action: 'activate', ...wanted });

    await booted.control.post('/clock/advance').send({ by: '30d' }).expect(200);

    expect(await isInDirectory(booted, 'ravi@acme.example')).toBe(true);
  });

  it('makes, renames and deletes groups', async () => {
    const booted = await frozen();
    const okta = (action: object) => act(booted, { provider: 'okta', ...action });

    await okta({ action: 'create_group', group_name: 'Sales' });
    const renamed = await okta({ action: 'rename_group', group_name: 'Sales', new_name: 'Revenue' });
    expect(renamed.groups.at(-1)).toMatchObject({ name: 'Revenue', is_pushed: true });
    const deleted = await okta({ action: 'delete_group', group_name: 'Revenue' });

    expect(requestsOf(deleted)).toEqual(['DELETE /Groups/… 204']);
    const names = deleted.groups.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['Engineering', 'Finance']);
  });

  it('pushes everybody again', async () => {
    const booted = await frozen();

    const idp = await act(booted, { action: 'push_all', provider: 'okta' });

    expect(idp.pushes.map(({ status }: { status: string }) => status)).toEqual(
      Array.from({ length: 7 }, () => 'DONE'),
    );
    expect(idp.users.every((user: { is_pushed: boolean }) => user.is_pushed)).toBe(true);
  });

  it.each([
    ['okta', 'PUT /Users/… 200'],
    ['generic', 'PATCH /Users/… 200'],
  ])('reads every page of the directory as %s, and finds people by userName', async (provider, update) => {
    const booted = await frozen();
    const wanted = { provider, directory_id: OKTA_DIRECTORY };
    await act(booted, { action: 'sync', ...wanted });
    const ids = await fillDirectory(booted, 120);
    // The provider has not pushed him yet, and somebody else has made him.
    await act(booted, { action: 'create', ...wanted, user: 'P119@acme.example', late: '1d' });

    const idp = await act(booted, { action: 'push_all', ...wanted });

    const requests = requestsOf(idp);
    expect(requests.slice(0, 3)).toEqual([
      'GET /Users?startIndex=1&count=100 200',
      'GET /Users?startIndex=101&count=100 200',
      'GET /Groups?startIndex=1&count=100 200',
    ]);
    expect(requests.filter((each) => each.includes('/Users') && !each.startsWith('GET'))).toEqual(
      idp.users.map(() => update),
    );
    expect(idp.users.at(-1)).toMatchObject({ directory_user_id: ids[119], is_pushed: true });
  });

  it.each([
    ['entra', 'GET /Groups?excludedAttributes=members&filter=displayName+eq+%22Sales%22 200'],
    ['google', 'GET /Groups?filter=displayName+eq+%22Sales%22 200'],
  ])('looks for each person as %s, and reads no pages', async (provider, forGroup) => {
    const booted = await frozen();
    const wanted = { provider, directory_id: OKTA_DIRECTORY };
    await act(booted, { action: 'create_group', ...wanted, group_name: 'Sales' });
    const [first] = (await act(booted, { action: 'sync', ...wanted })).users;

    const idp = await act(booted, { action: 'push_all', ...wanted });

    const requests = requestsOf(idp);
    expect(requests.filter((each) => each.startsWith('GET'))).toEqual(
      idp.users.map(
        ({ user_name }: { user_name: string }) =>
          `GET /Users?${new URLSearchParams({ filter: `userName eq "${user_name}"` })} 200`,
      ),
    );
    expect(first.is_pushed).toBe(true);
    const { body } = await booted.control.get('/idp').expect(200);
    expect(requestsOf(body.providers[0])).toContain(forGroup);
  });

  it('notices what the directory has lost and gained, when it reads it', async () => {
    const booted = await frozen();
    const { users } = await act(booted, { action: 'sync', provider: 'okta' });
    const { directory_user_id: lost, email } = users[0];
    await booted.control.delete(`/state/directory_users/${lost}`).expect(204);
    const [other] = await fillDirectory(booted, 1);
    const { groups } = await act(booted, { action: 'sync', provider: 'okta' });
    const group = groups[0].directory_group_id as string;
    await booted.control
      .patch(`/state/directory_users/${other}`)
      .send({ group_ids: [group] })
      .expect(200);

    const idp = await act(booted, { action: 'push_all', provider: 'okta' });

    const back = idp.users.find((user: { email: string }) => user.email === email);
    expect(back).toMatchObject({ is_pushed: true, directory_user_id: expect.not.stringMatching(lost) });
    expect(await directoryUser(booted, email)).toBeDefined();
    // The provider has no such member, so it removes them.
    expect((await booted.control.get(`/state/directory_users/${other}`)).body.group_ids).toEqual([]);
  });

  it('reads the directory again after a page has failed', async () => {
    const booted = await frozen();
    const rule = { on: 'Scim_ListGroups', times: 1, reply: { error: 'unavailable' } };
    await booted.control
      .post('/scenarios')
      .send({ name: 'down', rules: [rule] })
      .expect(201);

    const idp = await act(booted, { action: 'push_all', provider: 'okta' });

    const read = idp.pushes.find(({ kind }: { kind: string }) => kind === 'read');
    expect(read).toMatchObject({ status: 'RETRYING', next_attempt_at: '2030-01-01T00:01:00.000Z' });
    await booted.control.post('/clock/advance').send({ by: '1m' }).expect(200);
    const { body } = await booted.control.get('/idp').expect(200);
    expect(body.providers[0].pushes.find(({ kind }: { kind: string }) => kind === 'read').status).toBe(
      'DONE',
    );
  });

  it('is found by the person alone', async () => {
    const booted = await frozen();

    const idp = await act(booted, { action: 'offboard', user: 'ada@acme.example' });

    expect(idp).toMatchObject({ provider: 'okta', directory_id: OKTA_DIRECTORY });
  });

  it('gives up when its secret has ended', async () => {
    const booted = await frozen();
    await act(booted, { action: 'sync', provider: 'okta' });
    await booted.api
      .post(`/api/v1/organizations/${ACME}/directories/${OKTA_DIRECTORY}/secrets:regenerate`)
      .expect(200);
    await booted.control.post('/clock/advance').send({ by: '25h' }).expect(200);

    const idp = await act(booted, { action: 'deactivate', provider: 'okta', user: 'ada@acme.example' });

    expect(idp.pushes.at(-1)).toMatchObject({
      status: 'FAILED',
      attempts: [{ requests: [{ status: 401 }] }],
    });
  });

  it('gives the same answers again after a reset', async () => {
    const booted = await frozen();
    const run = async () => {
      const created = {
        action: 'create',
        provider: 'entra',
        user: 'mia@acme.example',
        organization_id: ACME,
      };
      return [
        await act(booted, { ...created, groups: ['Sales', 'Finance'] }),
        await act(booted, { action: 'offboard', provider: 'okta', user: 'ada@acme.example' }),
      ];
    };
    await booted.control.post('/reset').expect(204);
    const first = await run();
    await booted.control.post('/reset').expect(204);

    expect(await run()).toEqual(first);
  });

  it('lives on in a fork, which pushes to its own directory', async () => {
    const booted = await frozen();
    await act(booted, { action: 'change', provider: 'okta', user: 'ada@acme.example', given_name: 'A' });
    const name = `${booted.own.name}-fork`;
    await booted.control.post(`/environments/${booted.own.name}/fork`).send({ name }).expect(201);
    const headers = { 'understudy-environment': name };

    const { body } = await booted.control
      .post('/idp/actions')
      .set(headers)
      .send({ action: 'change', provider: 'okta', user: 'ada@acme.example', given_name: 'B' })
      .expect(200);

    expect(requestsOf(body)).toEqual(['PUT /Users/… 200']);
    expect(await directoryUser(booted, 'ada@acme.example')).toMatchObject({ given_name: 'A' });
    await booted.control.delete(`/environments/${name}`).expect(204);
  });

  it.each([
    [{ action: 'deactivate', provider: 'okta' }, 'user is required: the e-mail address of a person'],
    [
      { action: 'deactivate', provider: 'okta', user: 'adda@acme.example' },
      'user: okta has no adda@acme.example; did you mean ada@acme.example?',
    ],
    [
      { action: 'rename_group', provider: 'okta', group_name: 'Finanz', new_name: 'x' },
      /^group_name: okta has no Finanz; did you mean Finance\?/,
    ],
    [
      { action: 'create', provider: 'okta', user: 'ada@acme.example' },
      'user: okta has ada@acme.example already',
    ],
    [
      { action: 'deactivate', provider: 'okta', user: 'ada@acme.example', late: 'soon' },
      /^late: soon is no duration/,
    ],
    [
      { action: 'deactivate', provider: 'okta', user: 'ada@acme.example', late: '99999999999d' },
      /^late: 99999999999d is longer than ten years/,
    ],
    [{ action: 'change', provider: 'okta', user: 'ada@acme.example' }, /^give what changes/],
    [{ action: 'sync', provider: 'entra' }, /^no directory is of entra: give an organization_id/],
  ])('says what is wrong with %j', async (action, message) => {
    const booted = await frozen();
    const before = await booted.control.get('/state/hash').expect(200);

    const { body, status } = await booted.control.post('/idp/actions').send(action);

    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
    expect((await booted.control.get('/state/hash').expect(200)).body).toEqual(before.body);
  });
});
