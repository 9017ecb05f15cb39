import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import {
  aGroup,
  asText,
  aUser,
  ERROR,
  operations,
  provider,
  pushGroup,
  pushUser,
  USER,
} from '../../../../test/support/scim.ts';

const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';

describe('hostile input over SCIM', () => {
  it.each([
    ['a path to the prototype', operations({ op: 'add', path: '__proto__.polluted', value: 'x' }), 400],
    [
      'a key of the prototype',
      JSON.parse(
        asText(operations({ op: 'add', value: {} })).replace(
          '{}',
          '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
        ),
      ),
      200,
    ],
    [
      'a filter on the prototype',
      operations({ op: 'add', path: 'emails[__proto__ pr].value', value: 'x' }),
      400,
    ],
    ['operations that are none', operations(...Array(3).fill(7)), 400],
    ['no operation', operations(), 400],
  ])('changes nothing: %s', async (_, sent, status) => {
    const { scim } = await provider(await boot());
    const id = await pushUser(scim, 'mia@acme.example');
    const before = await scim.get(`/Users/${id}`);

    const { body } = await scim
      .patch(`/Users/${id}`)
      .send(asText(sent as object))
      .expect(status);

    if (status !== 200) expect(body).toMatchObject({ schemas: [ERROR], status: String(status) });
    expect((await scim.get(`/Users/${id}`)).text).toBe(before.text);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('half a change is no change', async () => {
    const { scim } = await provider(await boot());
    const id = await pushUser(scim, 'mia@acme.example');
    const sent = operations(
      { op: 'replace', path: 'title', value: 'Chief' },
      { op: 'replace', path: 'nope', value: 1 },
    );

    const { body } = await scim.patch(`/Users/${id}`).send(asText(sent)).expect(400);

    expect(body).toMatchObject({ scimType: 'invalidPath', detail: expect.stringContaining('nope') });
    expect((await scim.get(`/Users/${id}`)).body).not.toHaveProperty('title');
  });

  it('is refused before it costs much', async () => {
    const { scim } = await provider(await boot());
    const id = await pushUser(scim, 'mia@acme.example');
    const deep = `${'['.repeat(150)}${']'.repeat(150)}`;
    const filter = `${'('.repeat(400)}id pr${')'.repeat(400)}`;
    const start = process.cpuUsage();

    await scim.get(`/Users?filter=${encodeURIComponent(filter)}`).expect(400);
    await scim.post('/Users').send(`{"schemas":["${USER}"],"userName":"x","emails":${deep}}`).expect(400);
    await scim
      .post('/Users')
      .send(asText(aUser('x', { title: 'x'.repeat(1_100_000) })))
      .expect(413);
    const many = Array.from({ length: 5000 }, () => ({ op: 'replace', path: 'title', value: 'x' }));
    await scim
      .patch(`/Users/${id}`)
      .send(asText(operations(...many)))
      .expect(400);

    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });

  it('counts each comparison of a filter in a path', async () => {
    const { scim } = await provider(await boot());
    const members = Array.from({ length: 2000 }, (_, index) => `later-${index}`);
    const id = await pushGroup(scim, 'Support', members);
    const wanted = Array.from({ length: 30 }, (_, index) => `value eq "none-${index}"`).join(' or ');
    const removals = Array.from({ length: 200 }, () => ({ op: 'remove', path: `members[${wanted}]` }));
    const start = process.cpuUsage();

    const { body } = await scim
      .patch(`/Groups/${id}`)
      .send(asText(operations(...removals)))
      .expect(400);

    expect(body).toMatchObject({ scimType: 'tooMany' });
    expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
  });

  it('counts the values that an attribute has in between', async () => {
    const { scim } = await provider(await boot());
    const id = await pushUser(scim, 'mia@acme.example');
    const additions = Array.from({ length: 200 }, (_, turn) => ({
      op: 'add',
      path: 'emails',
      value: Array.from({ length: 100 }, (__, index) => `${turn}-${index}@acme.example`),
    }));
    const changes = [...additions, { op: 'remove', path: 'emails' }];
    const start = process.cpuUsage();

    const { body } = await scim
      .patch(`/Users/${id}`)
      .send(asText(operations(...changes)))
      .expect(400);

    expect(body).toMatchObject({ scimType: 'invalidValue', detail: expect.stringContaining('at most 100') });
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });

  it('costs no more if it is about attributes that no schema has', async () => {
    const { scim } = await provider(await boot());
    const id = await pushUser(scim, 'mia@acme.example');
    const additions = Array.from({ length: 10_000 }, (_, index) => ({
      op: 'add',
      path: `urn:acme:2.0:a${index}`,
      value: 1,
    }));
    const whole = Array.from({ length: 900 }, (_, turn) => ({
      op: 'add',
      path: 'urn:acme:2.0',
      value: Object.fromEntries(Array.from({ length: 60 }, (__, index) => [`a${turn}-${index}`, 1])),
    }));
    const start = process.cpuUsage();

    const many = await scim.patch(`/Users/${id}`).send(asText(operations(...additions)));
    const large = await scim.patch(`/Users/${id}`).send(asText(operations(...whole)));

    expect(many.body).toMatchObject({ status: '400', detail: '10000 operations; at most 1000 are taken' });
    expect(large.body).toMatchObject({ status: '400', detail: expect.stringContaining('is larger than') });
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });

  it('is refused if it makes a resource too large', async () => {
    const { scim } = await provider(await boot());
    const [id, group] = [await pushUser(scim, 'mia@acme.example'), await pushGroup(scim, 'Support')];
    const nickName = 'x'.repeat(100_000);
    const externalId = nickName;
    const answers = [
      await scim.post('/Users').send(asText(aUser('noor@acme.example', { nickName }))),
      await scim.put(`/Users/${id}`).send(asText(aUser('mia@acme.example', { nickName }))),
      await scim.patch(`/Users/${id}`).send(asText(operations({ op: 'add', value: { nickName } }))),
      await scim.post('/Groups').send(asText({ ...aGroup('Sales'), externalId })),
      await scim.patch(`/Groups/${group}`).send(asText(operations({ op: 'add', value: { externalId } }))),
    ];

    for (const { status, body } of answers)
      expect(body).toMatchObject({
        status: String(status),
        scimType: 'invalidValue',
        detail: 'the resource is larger than 100000 characters',
      });
  });

  it('brings a long text to lower case once for a filter', async () => {
    const { scim } = await provider(await boot());
    const addresses = [{ formatted: 'Ж'.repeat(90_000) }];
    const { body: user } = await scim
      .post('/Users')
      .send(asText(aUser('mia@acme.example', { addresses })))
      .expect(201);
    const wanted = Array.from({ length: 90 }, (_, index) => `formatted eq "${index}"`).join(' or ');
    const removals = Array.from({ length: 300 }, () => ({ op: 'remove', path: `addresses[${wanted}]` }));
    const start = process.cpuUsage();

    const { body } = await scim
      .patch(`/Users/${user.id}`)
      .send(asText(operations(...removals)))
      .expect(200);

    expect(body.addresses).toEqual(addresses);
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });

  it('does not let a group grow by members that nobody knows', async () => {
    const { scim } = await provider(await boot());
    const id = await pushGroup(scim, 'Support');
    const add = (mark: string) =>
      scim.patch(`/Groups/${id}`).send(
        asText(
          operations({
            op: 'add',
            path: 'members',
            value: [{ value: mark.repeat(400_000) }],
          }),
        ),
      );
    await add('a').expect(200);
    await add('b').expect(200);

    const { body } = await add('c').expect(400);

    expect(body.detail).toContain('the names of unknown members have 1200000 characters');
  });

  it('reads only so many members for a list', async () => {
    const { scim } = await provider(await boot());
    for (const mark of ['a', 'b', 'c'])
      await pushGroup(
        scim,
        mark,
        Array.from({ length: 9000 }, (_, index) => `${mark}${index}`),
      );
    const wanted = Array.from({ length: 99 }, (_, index) => `members.value co "${index}z"`).join(' or ');
    const found = async (filter: string) => (await scim.get('/Groups').query({ filter })).body;
    const start = process.cpuUsage();

    const [page, rest] = [await scim.get('/Groups'), await scim.get('/Groups?startIndex=3')];
    const costly = await Promise.all(
      [wanted, `id pr and (${wanted})`].map(async (filter) => [
        await found(filter),
        (await scim.post('/.search').send(asText({ schemas: [SEARCH], filter }))).body,
      ]),
    );
    const [{ id }] = page.body.Resources;
    const own = await found(`id eq "${id}" and (${wanted})`);

    expect([page, rest].map(({ body }) => [body.totalResults, body.itemsPerPage])).toEqual([
      [3, 2],
      [3, 1],
    ]);
    for (const body of costly.flat())
      expect(body).toMatchObject({
        status: '400',
        scimType: 'tooMany',
        detail: 'the groups have 27000 members, too many for this filter or order',
      });
    expect(own).toMatchObject({ totalResults: 0 });
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });

  it('is refused for what it is, in the words of SCIM', async () => {
    const { scim } = await provider(await boot());
    const id = await pushUser(scim, 'mia@acme.example');
    const answers = [
      await scim.post('/Users').set('content-type', 'text/csv').send('userName\nmia'),
      await scim.post('/Users').send('\ud800'),
      await scim.post('/Users'),
      await scim.patch(`/Users/${id}`).send('[]'),
      await scim.get('/Users?count=many'),
      await scim.get('/Users?filter=%zz'),
      await scim.get('/Users/%E0%A4%A'),
      await scim.get('/Users?sortBy=nope'),
      await scim.get('/Users?sortOrder=up'),
    ];

    expect(answers.map(({ status, body }) => [status, body.scimType])).toEqual([
      [415, undefined],
      [400, 'invalidSyntax'],
      [400, 'invalidValue'],
      [400, 'invalidValue'],
      [400, 'invalidValue'],
      [400, 'invalidSyntax'],
      [400, 'invalidSyntax'],
      [400, 'invalidValue'],
      [400, 'invalidValue'],
    ]);
    for (const { body, status } of answers)
      expect(body).toMatchObject({ schemas: [ERROR], status: String(status), detail: expect.any(String) });
  });

  it('of ids that belong to others finds nothing', async () => {
    const booted = await boot();
    const [one, two] = [await provider(booted), await provider(booted)];
    const id = await pushUser(one.scim, 'mia@acme.example');
    const group = await pushGroup(one.scim, 'Support');

    const statuses = [
      await two.scim.get(`/Users/${id}`),
      await two.scim.delete(`/Users/${id}`),
      await two.scim.get(`/Groups/${group}`),
      await two.scim.delete(`/Groups/${group}`),
      await two.scim.get('/Users/__proto__'),
    ].map(({ status }) => status);
    const joined = await pushGroup(two.scim, 'Other', [id]);

    expect(statuses).toEqual([404, 404, 404, 404, 404]);
    expect((await one.scim.get(`/Users/${id}`)).body).not.toHaveProperty('groups');
    expect((await two.scim.get(`/Groups/${joined}`)).body.members).toEqual([{ value: id }]);
  });
});
