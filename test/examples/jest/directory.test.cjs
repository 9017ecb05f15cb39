const { startUnderstudy } = require('understudy-server/testing');
const { createDirectory } = require('./directory.cjs');

let sim, env, directory;
const wait = jest.fn(async () => {});

beforeAll(async () => {
  sim = await startUnderstudy();
});
afterAll(() => sim.stop());

beforeEach(async () => {
  env = await sim.environment();
  const { url, clientId, clientSecret } = env;
  directory = createDirectory({ url, clientId, clientSecret, wait });
});
afterEach(async () => {
  wait.mockClear();
  await env.drop();
});

const statuses = async () => {
  const calls = await env.requests.list({ operation: 'OrganizationService_ListOrganization*' });
  return calls.map((call) => call.status);
};

test('waits for the time in Retry-After after a 429, then tries again', async () => {
  await env.scenario('rate-limit-once', { retry_after: 7 });

  expect(await directory.organizationNames()).toContain('Acme Corp');

  expect(wait.mock.calls).toEqual([[7]]);
  expect(await statuses()).toEqual([429, 200]);
});

test('gives up after three tries', async () => {
  await env.scenario('rate-limit-always', { operation: 'OrganizationService_*' });

  await expect(directory.organizationNames()).rejects.toThrow('the directory answered 429');

  expect(await statuses()).toEqual([429, 429, 429]);
});

test('fetches a new token when the old one has expired', async () => {
  await directory.organizationNames();

  await env.clock.advance('25h');

  expect(await directory.organizationNames()).toContain('Acme Corp');
  expect(await statuses()).toEqual([200, 401, 200]);
});
