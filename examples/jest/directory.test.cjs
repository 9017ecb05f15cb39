const { test } = require('understudy-server/jest');
const { createDirectory } = require('./directory.cjs');

/** The directory of an environment. `wait` records the pauses instead of making them. */
const setUp = ({ url, clientId, clientSecret }) => {
  const wait = jest.fn(async () => {});
  return { wait, directory: createDirectory({ url, clientId, clientSecret, wait }) };
};

const statuses = async (env) => {
  const calls = await env.requests.list({ operation: 'OrganizationService_ListOrganization*' });
  return calls.map((call) => call.status);
};

test('waits for the time in Retry-After after a 429, then tries again', async ({ env }) => {
  const { directory, wait } = setUp(env);
  await env.scenario('rate-limit-once', { retry_after: 7 });

  expect(await directory.organizationNames()).toContain('Acme Corp');

  expect(wait.mock.calls).toEqual([[7]]);
  expect(await statuses(env)).toEqual([429, 200]);
});

test('gives up after three tries', async ({ env }) => {
  const { directory } = setUp(env);
  await env.scenario('rate-limit-always', { operation: 'OrganizationService_*' });

  await expect(directory.organizationNames()).rejects.toThrow('the directory answered 429');

  expect(await statuses(env)).toEqual([429, 429, 429]);
});

test('fetches a new token when the old one has expired', async ({ env }) => {
  const { directory } = setUp(env);
  await directory.organizationNames();

  await env.clock.advance('25h');

  expect(await directory.organizationNames()).toContain('Acme Corp');
  expect(await statuses(env)).toEqual([200, 401, 200]);
});
