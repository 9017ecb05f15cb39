import { appendFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { connectUnderstudy } from '../../../../dist/testing.js';

const sim = await connectUnderstudy(process.env.UNDERSTUDY_URL);

const ran = ({ name }) => appendFileSync(process.env.TEST_LOG, `${name}\n`);

const testIn = (title, run) =>
  void it(title, (context) => {
    ran(context);
    return sim.withEnvironment(
      async (env) => {
        const headers = { authorization: `Bearer ${await env.accessToken()}` };
        await run((path) => fetch(`${env.url}/api/v1${path}`, { headers }));
      },
      { test: context.fullName },
    );
  });

void describe('organizations', () => {
  testIn('are read', (call) => call('/organizations/org_10000000000000001'));
  testIn('are listed', (call) => call('/organizations'));
});

void it('needs no call', ran);
