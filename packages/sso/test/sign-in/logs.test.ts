import { describe, expect, it } from 'vitest';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import { Browser } from '../../../../test/support/browser.ts';

const AUTHORIZE =
  '/oauth/authorize?client_id=skc_1000000000000000001&redirect_uri=http://localhost:3000/callback&response_type=code&scope=openid';

const authLogs = ({ api }: Booted) => api.get('/api/v1/logs/authentication/requests');

describe('the authentication log of a sign-in', () => {
  it('has one row whose status follows the sign-in', async () => {
    const booted = await boot();
    const log = async () => (await authLogs(booted)).body.authRequests[0];

    const page = await new Browser(booted).open(AUTHORIZE);
    const started = await log();
    await page.submit({ email: 'yuki@lumen.example' });
    const ended = await log();

    expect(started).toMatchObject({ status: 'INITIATED', email: '', client_id: 'skc_1000000000000000001' });
    expect(ended).toMatchObject({
      status: 'SUCCESS',
      email: 'yuki@lumen.example',
      auth_request_id: started.auth_request_id,
    });
  });

  it('becomes FAILED when the sign-in expires, and keeps SUCCESS', async () => {
    const booted = await boot();
    const { body: own } = await booted.control.post('/environments').send({ name: 'worker-1' }).expect(201);
    const control = '/environments/worker-1';
    const status = async () => {
      const { body } = await booted.control.get(`${control}/state/auth_logs`).expect(200);
      return [(await authLogs(booted)).body.authRequests[0].status, body.rows.at(-1).status];
    };
    await (await new Browser(booted).open(AUTHORIZE)).submit({ email: 'yuki@lumen.example' });
    await booted.control.post('/clock/advance').send({ by: '31m' }).expect(200);
    expect((await status())[0]).toBe('SUCCESS');

    await new Browser(booted).open(AUTHORIZE);
    await new Browser(booted).open(AUTHORIZE.replace('skc_1000000000000000001', own.client_id));
    const before = await status();
    await booted.control.post('/clock/advance').send({ by: '31m' }).expect(200);
    await booted.control.post(`${control}/clock/advance`).send({ by: '31m' }).expect(200);

    expect(before).toEqual(['INITIATED', 'INITIATED']);
    expect(await status()).toEqual(['FAILED', 'FAILED']);
  });
});
