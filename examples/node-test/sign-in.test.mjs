import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectUnderstudy, startUnderstudy } from 'understudy-server/testing';
import { SignIn } from './sign-in.mjs';

const ADA = 'ada@acme.example';
let sim;

before(async () => {
  const { UNDERSTUDY_URL: url } = process.env; // set by `understudy sweep`
  sim = await (url ? connectUnderstudy(url) : startUnderstudy({ mode: 'child-process' }));
});
after(() => sim.stop());

/** Runs each test in a new environment. */
const testIn = (title, run) =>
  void test(title, () =>
    sim.withEnvironment(
      async (env) => {
        await run(env, new SignIn({ url: env.url, accessToken: await env.accessToken() }));
      },
      { test: `sign-in.test.mjs > ${title}` }, // for UNDERSTUDY_KEEP=failed and for understudy sweep
    ),
  );

testIn('the code from the email signs the user in once', async (env, signIn) => {
  const request = await signIn.sendCode(ADA);
  const { code } = await env.mail.wait({ to: ADA });

  assert.deepEqual(await signIn.enterCode(request, code), { email: ADA });
  assert.deepEqual(await signIn.enterCode(request, code), { notice: 'This code is wrong or too old.' });
});

testIn('a code expires after 15 minutes', async (env, signIn) => {
  const request = await signIn.sendCode(ADA);
  const { code } = await env.mail.wait({ to: ADA });

  await env.clock.advance('15m');

  assert.deepEqual(await signIn.enterCode(request, code), { notice: 'This code is wrong or too old.' });
});

testIn('a code stays valid when the service was unavailable', async (env, signIn) => {
  const request = await signIn.sendCode(ADA);
  const { code } = await env.mail.wait({ to: ADA });
  await env.scenario({
    name: 'verify-is-down',
    rules: [{ on: 'PasswordlessService_VerifyPasswordlessEmail', times: 1, reply: { error: 'unavailable' } }],
  });

  assert.deepEqual(await signIn.enterCode(request, code), { notice: 'Please try again later.' });
  assert.deepEqual(await signIn.enterCode(request, code), { email: ADA });
});
