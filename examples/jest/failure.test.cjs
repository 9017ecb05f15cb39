// What the export prints when a test fails.
const { test } = require('understudy-server/jest');

const printed = [];
beforeEach(() => void jest.spyOn(console, 'error').mockImplementation((text) => printed.push(text)));

test.failing('a test that fails prints the calls that failed', async ({ env }) => {
  await env.scenario('rate-limit-always', { operation: 'OAuth_Token' });
  await env.accessToken();
});

test('each line has the reason, and the environment is dropped', async ({ env, sim }) => {
  const names = (await sim.control.environments.list()).map(({ name }) => name);

  expect(printed).toEqual([
    expect.stringMatching(
      /429 POST \/oauth\/token .* Rule 0 of scenario rate-limit-always answered 429.*\n {2}for more: npx understudy-server explain --environment .*\n {2}the run: npx understudy-server open test-results\/.*\.understudy$/,
    ),
  ]);
  expect(names).toEqual(['default', env.name]);
});

test.each([
  [1, 'one'],
  [2, 'two'],
])('row %s has an environment', async (number, word, { env }) => {
  expect([typeof number, typeof word, typeof env.name]).toEqual(['number', 'string', 'string']);
});
