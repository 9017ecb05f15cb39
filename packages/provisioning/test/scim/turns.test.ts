import { expect, it } from 'vitest';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { turnTimes } from '../../../../test/support/longest-turn.ts';
import { multiply } from '../../../../test/support/turns.ts';

const DIRECTORY = 'dir_10000000000000601';
const ROWS = 10_000;

async function withManyUsers(): Promise<Booted> {
  const booted = await boot();
  multiply(booted, 'directory_users', ROWS, (n) => ({
    directory_id: DIRECTORY,
    user_name: `user-${(n * 7919) % ROWS}`,
    preferred_username: `user-${(n * 7919) % ROWS}`,
    email: `user-${n}@scale.example`,
  }));
  return booted;
}

const list = ({ api }: Booted, query: object) =>
  api
    .get(`/directory/${DIRECTORY}/scim/v2/Users`)
    .query({ count: 3, ...query })
    .set('authorization', 'Bearer test_okta_directory_secret_T7qa');

it.each([
  ['a filter on the version', { filter: 'meta.version eq "W/\\"none\\""' }, 0],
  ['an order by version', { sortBy: 'meta.version' }, undefined],
  [
    'a filter with many comparisons',
    { filter: Array.from({ length: 90 }, (_, n) => `displayName co "${n} and not found"`).join(' or ') },
    0,
  ],
])('A large directory is searched in turns with other calls, with %s', async (_, query, total) => {
  const booted = await withManyUsers();
  await list(booted, query).expect(200);
  let found: number | undefined;

  const { longest, all } = await turnTimes(() =>
    list(booted, query)
      .expect(200)
      .then(({ body }) => (found = body.totalResults)),
  );

  expect(found).toBe(total ?? booted.own.tables.directory_users.count('directory_id', DIRECTORY));
  expect(longest).toBeLessThan(all / 2);
});

it('A large directory is sorted as a small one is, although others change it meanwhile', async () => {
  const booted = await withManyUsers();
  const sorted = list(booted, { sortBy: 'userName', sortOrder: 'descending' });

  const [{ body }] = await Promise.all([
    sorted.expect(200),
    ...['zed', 'zoe'].map((userName) =>
      booted.api
        .post(`/directory/${DIRECTORY}/scim/v2/Users`)
        .set('authorization', 'Bearer test_okta_directory_secret_T7qa')
        .type('application/scim+json')
        .send({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName })
        .expect(201),
    ),
  ]);

  const names = body.Resources.map(({ userName }: { userName: string }) => userName) as string[];
  expect(names).toEqual(names.toSorted().toReversed());
  const [last] = (await list(booted, { sortBy: 'userName', sortOrder: 'descending' })).body.Resources;
  expect(last.userName).toBe('zoe');
});
