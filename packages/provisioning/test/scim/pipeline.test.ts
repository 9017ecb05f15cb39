import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import {
  asText,
  aUser,
  ERROR,
  operations,
  provider,
  pushUser,
  scimWith,
  USER,
} from '../../../../test/support/scim.ts';

const NOW = '2026-03-02T09:00:00.000Z';

const load = ({ control }: Booted, rule: object) =>
  control
    .post('/scenarios')
    .send({ name: 'scim', rules: [rule] })
    .expect(201);

async function lastCall({ control }: Booted) {
  const { body } = await control.get('/requests').expect(200);
  const { id } = body.requests.at(-1);
  return (await control.get(`/requests/${id}`).expect(200)).body;
}

describe('a SCIM call', () => {
  it.each([
    ['by its name', { on: 'Scim_CreateUser' }],
    ['by its path', { on: { method: 'POST', path: '/directory/*/scim/v2/Users' } }],
  ])('fails as a scenario says, %s', async (_, match) => {
    const booted = await boot();
    const { scim } = await provider(booted);
    await load(booted, {
      ...match,
      times: 1,
      reply: { error: 'rate_limited', headers: { 'retry-after': '7' } },
    });

    const refused = await scim.post('/Users').send(asText(aUser('mia@acme.example')));
    const { totalResults } = (await scim.get('/Users').expect(200)).body;

    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '7']);
    expect(refused.headers['content-type']).toBe('application/scim+json');
    expect(refused.body).toMatchObject({ schemas: [ERROR], status: '429' });
    expect(totalResults).toBe(0);
    await pushUser(scim, 'mia@acme.example');
  });

  it('loses its answer as a scenario says, and has happened', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    await load(booted, { on: 'Scim_CreateUser', times: 1, fault: { lose: true } });

    const { body } = await scim
      .post('/Users')
      .send(asText(aUser('mia@acme.example')))
      .expect(503);

    expect(body).toMatchObject({ schemas: [ERROR], detail: 'the answer was lost on its way' });
    expect((await scim.get('/Users')).body.totalResults).toBe(1);
  });

  it('is in the journal, with what it did in words', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    const id = await pushUser(scim, 'mia@acme.example');
    const created = await lastCall(booted);

    await scim
      .patch(`/Users/${id}`)
      .send(asText(operations({ op: 'Replace', path: 'active', value: 'False' })));

    expect(created).toMatchObject({
      operation: 'Scim_CreateUser',
      notes: ['created user mia@acme.example, created the account'],
    });
    expect(await lastCall(booted)).toMatchObject({
      operation: 'Scim_PatchUser',
      notes: ['changed user mia@acme.example, who is not active, switched the membership off'],
    });
  });

  it('counts in the coverage, under one name for both addresses', async () => {
    const booted = await boot();
    const { id, secret } = await provider(booted);
    await booted.anonymous
      .get(`/api/v1/directoies/${id}/scim/v2/Users`)
      .set('authorization', `Bearer ${secret}`)
      .expect(200);

    const { body } = await booted.control.get('/coverage').expect(200);

    const found = body.operations.find((each: { id: string }) => each.id === 'Scim_ListUsers');
    expect(found).toMatchObject({ tag: 'SCIM' });
    expect(found.responses).toContainEqual(expect.objectContaining({ status: 200, seen: 1 }));
  });

  it('gives the same answers for the same seed, clock and calls', async () => {
    const answers = async () => {
      const booted = await boot({ now: NOW });
      const { scim } = await provider(booted);
      const made = await scim.post('/Users').send(asText(aUser('mia@acme.example')));
      const listed = await scim.get('/Users?sortBy=userName');
      return [made.text, made.headers['etag'], listed.text].map((text) =>
        text?.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, ''),
      );
    };

    expect(await answers()).toEqual(await answers());
  });

  it('is undone by a reset, and goes on in a fork on its own', async () => {
    const booted = await boot();
    const { scim, id, secret } = await provider(booted);
    await pushUser(scim, 'mia@acme.example');
    await booted.control.post('/environments/default/fork').send({ name: 'fork' }).expect(201);
    const inFork = {
      get: (path: string) =>
        scimWith(booted.anonymous, id, secret).get(path).set('understudy-environment', 'fork'),
    };

    await pushUser(scim, 'max@acme.example');

    expect((await inFork.get('/Users')).body.totalResults).toBe(1);
    expect((await scim.get('/Users')).body.totalResults).toBe(2);
    await booted.control.post('/reset').expect(204);
    await scim.get('/Users').expect(404);
    expect((await inFork.get('/Users')).body.totalResults).toBe(1);
  });

  it('is warned of attributes that no schema has, and with --strict refused', async () => {
    const sent = asText(aUser('mia@acme.example', { favouriteColour: 'red', nikName: 'M' }));
    const loose = await provider(await boot());
    const strict = await provider(await boot({ strict: true }));

    const taken = await loose.scim.post('/Users').send(sent).expect(201);
    const refused = await strict.scim.post('/Users').send(sent).expect(400);

    expect(taken.headers['understudy-warnings']).toBe(
      'unknown: favouriteColour, nikName; did you mean nickName?',
    );
    expect(taken.body).not.toHaveProperty('favouriteColour');
    expect(refused.body).toMatchObject({ schemas: [ERROR], scimType: 'invalidValue' });
    expect(refused.body.detail).toContain('nikName: the contract has no such field; did you mean nickName?');
  });

  it('gets an error of SCIM for a path or a method that there is not', async () => {
    const booted = await boot();
    const { scim, id } = await provider(booted);

    const path = await scim.get('/Persons').expect(404);
    const browser = await booted.anonymous
      .get(`/directory/${id}/scim/v2/x`)
      .set('accept', 'text/html')
      .expect(404);
    const method = await scim.put('/Users').expect(405);
    const bulk = await scim.post('/Bulk').expect(501);
    const outside = await booted.anonymous.get(`/directory/${id}/scim/v1/Users`).expect(404);

    for (const { body, headers, status } of [path, browser, method, bulk]) {
      expect(body).toMatchObject({ schemas: [ERROR], status: String(status) });
      expect(headers['content-type']).toBe('application/scim+json');
    }
    expect(method.headers['allow']).toBe('GET, POST');
    expect(bulk.body.detail).toContain('send each operation on its own');
    expect(outside.body).toMatchObject({ code: 5 });
  });

  it('gets an error of MCP below an MCP server', async () => {
    const { anonymous } = await boot();

    const { body } = await anonymous.get('/mcp/v9/servers').expect(404);

    expect(body).toMatchObject({ jsonrpc: '2.0', error: { data: { error_code: 'ROUTE_NOT_FOUND' } } });
  });

  it('is a domain event for webhooks like every other change', async () => {
    const booted = await boot({ now: NOW });
    const { scim } = await provider(booted);
    await pushUser(scim, 'mia@acme.example');

    const { body } = await booted.control.get('/state/events?limit=1000').expect(200);

    const pushed = body.rows.filter(({ data }: { data: object }) =>
      asText(data).includes('mia@acme.example'),
    );
    expect(pushed).toMatchObject([
      { type: 'organization.directory.user_created', source: 'DIR_SYNC', occurred_at: NOW },
      { type: 'user.organization_membership_created', source: 'SCALEKIT', occurred_at: NOW },
    ]);
  });
});

describe('a list', () => {
  it.each([
    ['userName sw "m" and not (title pr)', ['max', 'mia']],
    ['name.familyName eq "ROTH" or userName eq "zoe"', ['max', 'mia', 'zoe']],
    ['emails[type eq "work" and value ew "@b.example"]', ['max', 'mia', 'zoe']],
    ['title pr', ['zoe']],
    ['meta.lastModified gt "2026-01-01T00:00:00Z" and userName gt "mia"', ['zoe']],
    ['active eq "True" and userName co "A"', ['max', 'mia']],
    ['title eq null', ['max', 'mia']],
    ['userName ne "mia"', ['max', 'zoe']],
  ])('finds %s', async (filter, expected) => {
    const { scim } = await provider(await boot({ now: NOW }));
    for (const userName of ['mia', 'max', 'zoe']) {
      const more = { userName, active: true, ...(userName === 'zoe' && { title: 'Chief' }) };
      await pushUser(scim, `${userName}@b.example`, more);
    }

    const { body } = await scim
      .get(`/Users?filter=${encodeURIComponent(filter)}&sortBy=userName`)
      .expect(200);

    expect(body.Resources.map(({ userName }: { userName: string }) => userName)).toEqual(expected);
  });

  it('is sorted, paged and projected', async () => {
    const { scim } = await provider(await boot());
    for (const name of ['a', 'b', 'c']) await pushUser(scim, `${name}@b.example`);

    const { body } = await scim.get(
      '/Users?sortBy=userName&sortOrder=descending&startIndex=2&count=1&attributes=userName',
    );
    const counted = await scim.get('/Users?count=0');
    const without = await scim.get('/Users?excludedAttributes=emails,name.givenName,meta&count=1');

    expect(body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 3,
      startIndex: 2,
      itemsPerPage: 1,
      Resources: [{ schemas: [USER], id: expect.any(String), userName: 'b@b.example' }],
    });
    expect(counted.body).toMatchObject({ totalResults: 3, Resources: [] });
    expect(without.body.Resources[0]).toEqual({
      schemas: [USER],
      id: expect.any(String),
      userName: 'a@b.example',
      name: { familyName: 'Roth' },
      active: true,
    });
  });

  it('is searched by POST, users and groups together', async () => {
    const { scim } = await provider(await boot());
    await pushUser(scim, 'mia@b.example');
    await scim
      .post('/Groups')
      .send(asText({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'All' }));
    const wanted = (filter: string) =>
      asText({ schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], filter });

    const both = await scim.post('/.search').send(wanted('id pr')).expect(200);
    const users = await scim.post('/.search').send(wanted('userName pr')).expect(200);
    const groups = await scim.post('/Groups/.search').send(wanted('displayName eq "all"')).expect(200);
    const broken = await scim.post('/.search').send(wanted('id')).expect(400);

    expect([both, users, groups].map(({ body }) => body.totalResults)).toEqual([2, 1, 1]);
    expect(broken.body).toMatchObject({ scimType: 'invalidFilter' });
  });

  it('reads a text without quotation marks, and notes it', async () => {
    const booted = await boot();
    const { scim } = await provider(booted);
    for (const externalId of ['00uBACK', '701984', '12345678901234567890'])
      await pushUser(scim, `${externalId}@acme.example`, { externalId });
    const found = async (filter: string) =>
      (await scim.get(`/Users?filter=${encodeURIComponent(filter)}`).expect(200)).body.Resources.map(
        (user: { externalId: string }) => user.externalId,
      );

    expect(await found('externalId eq 00uBACK')).toEqual(['00uBACK']);
    expect(await found('externalId eq 701984')).toEqual(['701984']);
    expect(await found('externalId eq 12345678901234567890')).toEqual(['12345678901234567890']);

    await found('externalId eq 00uBACK');
    const call = JSON.stringify(await lastCall(booted));
    expect(call).toContain('filter: 00uBACK is read as a text; RFC 7644 wants it in quotation marks');
  });

  it('says what a filter lacks, and where', async () => {
    const { scim } = await provider(await boot());
    const detailOf = async (filter: string) =>
      (await scim.get(`/Users?filter=${encodeURIComponent(filter)}`).expect(400)).body.detail;

    expect(await detailOf('userName eq')).toBe('filter userName eq: a value expected instead of the end');
    expect(await detailOf('userNam eq "a"')).toBe('there is no attribute userNam; did you mean userName?');
    expect(await detailOf('(userName pr')).toBe('filter (userName pr: ) expected instead of the end');
    expect(await detailOf('userName is "a"')).toContain('is is none of eq, ne');
    expect(await detailOf('name eq "a"')).toBe('name has parts; compare one of them, such as name.value');
  });
});
