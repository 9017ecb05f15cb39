const { test } = require('understudy-server/jest');

describe('a role', () => {
  test('is created', async ({ env }) => {
    await env.accessToken();
    throw new Error('expected');
  });
});

test('passes', async ({ env }) => {
  await env.accessToken();
});
