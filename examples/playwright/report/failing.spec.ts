import { expect, test } from 'understudy-server/playwright';

test.use({ understudy: { clock: '2030-01-01T09:00:00Z', scenarios: ['rate-limit-always'] } });

test('passes', async ({ env, sim }) => {
  expect((await env.clock.get()).now).toBe('2030-01-01T09:00:00.000Z');
  expect(sim.url).toBe(process.env['UNDERSTUDY_URL']);
});

test('fails', async ({ env }) => {
  await env.accessToken();
});
