const { test } = require('understudy-server/jest');

test('fails, and is in the report of the run', async ({ env }) => {
  const { status } = await fetch(`${env.url}/keys`, { headers: env.headers });

  expect(status).toBe(201);
});
