import { test, understudyTest } from 'understudy-server/vitest';
import { afterAll, beforeAll, describe, expect } from 'vitest';

const frozen = understudyTest({
  fixture: 'small',
  seed: 7,
  clock: '2030-01-01T09:00:00Z',
  scenarios: ['invite-expired'],
});
const named = understudyTest({ start: { clientId: 'skc_mine' } });

const print = console.error;
const printed: string[] = [];

/** The environment and the simulator of the test before. */
let before: { name: string; url: string };

beforeAll(() => {
  console.error = (text: string) => void printed.push(text);
});
afterAll(() => {
  console.error = print;
});

describe('a test of vitest', () => {
  test('has an environment', async ({ env }) => {
    await env.state.delete('organizations', 'org_10000000000000001');
    before = { name: env.name, url: env.url };
    expect(printed).toEqual([]);
  });

  test('signs a user in without a browser', async ({ env }) => {
    const { accessToken, idToken, refreshToken } = await env.signIn('ravi@acme.example');

    const user = await fetch(`${env.url}/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } });
    expect(await user.json()).toMatchObject({ email: 'ravi@acme.example' });
    expect(idToken.split('.')).toHaveLength(3);
    expect(refreshToken).not.toBe('');
  });

  test('says why a user is not signed in', async ({ env }) => {
    await expect(env.signIn('')).rejects.toThrow(' was not signed in: access_denied: ');
    await env.scenario('sign-in-denied', { error: 'user_not_active' });
    await expect(env.signIn('ravi@acme.example')).rejects.toThrow(
      'ravi@acme.example was not signed in: user_not_active: the identity provider refused the user',
    );
    printed.length = 0;
  });

  test('shares the simulator, but not the environment, which is dropped', async ({ env, sim }) => {
    const names = (await sim.control.environments.list()).map(({ name }) => name);

    expect(env.url).toBe(before.url);
    expect(names).toEqual(['default', env.name]);
    expect(await env.state.get('organizations', 'org_10000000000000001')).toBeDefined();
    expect(printed).toEqual([]);
  });
});

describe('a test of vitest that fails', () => {
  test.fails('prints the calls that failed', async ({ env }) => {
    await env.scenario('rate-limit-always', { operation: 'OAuth_Token' });
    await fetch(`${env.url}/.well-known/openid-configuration`);
    await env.accessToken();
  });

  test('has printed them, with the reason', () => {
    expect(printed).toHaveLength(1);
    const [title, call, ...others] = printed[0]!.split('\n');
    expect(title).toMatch(/^Understudy, environment \S+: 1 of 1 calls failed or broke the contract$/);
    expect(call).toMatch(
      /^ {2}429 POST \/oauth\/token OAuth_Token .* req_1; Rule 0 of scenario rate-limit-always answered 429: rate limited; the rule goes on until the scenario is unloaded\.$/,
    );
    expect(others).toEqual([
      expect.stringMatching(/^ {2}for more: npx understudy-server explain --environment env-\d+$/),
      expect.stringMatching(
        /^ {2}the run: npx understudy-server open test-results\/test-testing-vitest.test.ts-a-test-of-vitest-that-fails-prints-the-calls-that-failed\.understudy$/,
      ),
    ]);
  });
});

describe('options', () => {
  frozen('are those of each environment', async ({ env, sim }) => {
    const { loaded } = await env.scenarios.list();

    expect((await env.clock.get()).now).toBe('2030-01-01T09:00:00.000Z');
    expect(loaded.map(({ name }) => name)).toEqual(['invite-expired']);
    const emails = async (each: typeof env) => (await each.state.list('users')).map(({ email }) => email);
    expect(await emails(env)).toEqual(await emails(await sim.environment({ fixture: 'small' })));
    expect(await emails(env)).not.toEqual(await emails(await sim.environment()));
  });

  named('start the simulator', ({ sim }) => {
    expect(sim.clientId).toBe('skc_mine');
  });
});
