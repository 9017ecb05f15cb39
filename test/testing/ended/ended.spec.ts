import { test } from 'understudy-server/vitest';
import { describe, expect } from 'vitest';

// Another test runs these and reads what they print.
describe('a role', () => {
  test('is created', async ({ env }) => {
    await env.accessToken();
    expect(env.name).toBe('another name');
  });

  test('is missing', async ({ env }) => {
    await env.scenario('rate-limit-always', { operation: 'OAuth_Token' });
    await env.accessToken();
  });
});

test('passes', async ({ env }) => {
  await env.accessToken();
});

test('drops its environment itself', async ({ env }) => {
  await env.drop();
  expect(1).toBe(2);
});
