import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startUnderstudy } from 'understudy-server/testing';
import { SignIn } from './sign-in.mjs';

const ADA = 'ada@acme.example';
let sim;

before(async () => {
  sim = await startUnderstudy({ mode: 'child-process' });
});
after(() => sim.stop());

/** A test in an environment of its own. */
const testIn = (title, run) =>
  void test(title, () =>
    sim.withEnvironment(async (env) => {
      await run(env, new SignIn({ url: env.url, accessToken: await env.accessToken() }));
    }),
  );

testIn('the code of the mail signs in, once', async (env, signIn) => {
  const request = await signIn.sendCode(ADA);
  const { code } = await env.mail.wait({ to: ADA });

  assert.deepEqual(await signIn.enterCode(request, code), { email: ADA });
  assert.deepEqual(await signIn.enterCode(request, code), { notice: 'This code is wrong or too old.' });
});

testIn('a code is too old after a quarter of an hour', async (env, signIn) => {
  const request = await signIn.sendCode(ADA);
  const { code } = await env.mail.wait({ to: ADA });

  await env.clock.advance('15m');

  assert.deepEqual(await signIn.enterCode(request, code), { notice: 'This code is wrong or too old.' });
});

testIn('an outage is no reason to doubt the code', async (env, signIn) => {
  const request = await signIn.sendCode(ADA);
  const { code } = await env.mail.wait({ to: ADA });
  await env.scenario({
    name: 'verify-is-down',
    rules: [{ on: 'PasswordlessService_VerifyPasswordlessEmail', times: 1, reply: { error: 'unavailable' } }],
  });

  assert.deepEqual(await signIn.enterCode(request, code), { notice: 'Please try again later.' });
  assert.deepEqual(await signIn.enterCode(request, code), { email: ADA });
});
