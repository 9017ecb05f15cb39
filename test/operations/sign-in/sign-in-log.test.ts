import { describe, expect, it } from 'vitest';
import { intercept, SILENCE } from '../../interceptors/support.ts';
import { boot, type Booted } from '../../support/boot.ts';
import { Browser } from '../../support/browser.ts';
import { patchRow } from '../../support/sso.ts';
import { ask, exchange } from '../oauth-support.ts';
import { ADA, authorizeUrl, lastRow, mailCodes, signedIn } from '../sign-in-support.ts';

const NEWCOMER = 'john+sktest@harbour.example';

async function stepsOf({ control }: Booted): Promise<string[]> {
  const { steps = [] } = (await lastRow(control, 'auth_logs')) as { steps?: { step: string }[] };
  return steps.map(({ step }) => step);
}

describe('the log of a sign-in', () => {
  it('has each step of a sign-up until the tokens', async () => {
    const booted = await boot();
    await mailCodes(booted, { type: 'OTP' });
    await patchRow(booted.control, 'settings', 'settings', { test_users: { emails: [NEWCOMER] } });

    const signUp = await new Browser(booted).open(authorizeUrl({ prompt: 'create' }));
    const back = await (await signUp.submit({ email: NEWCOMER })).submit({ code: '424242' });
    await ask(booted.anonymous, exchange(back.query('code')!)).expect(200);

    expect(await stepsOf(booted)).toEqual([
      'Signup page loaded',
      'Verification email suppressed (test user)',
      'OTP verification successful (test user)',
      'User created',
      'Organization created',
      'User added to organization',
      'Callback to application',
      'Access token generated',
    ]);
  });

  it('has the page, and that an interceptor was asked', async () => {
    const booted = await boot();
    const gate = { trigger_point: 'PRE_SESSION_CREATION', api_url: SILENCE, failure_policy: 'FAIL_OPEN' };
    await intercept(booted.api, gate);

    await signedIn(booted, ADA);

    expect(await stepsOf(booted)).toEqual([
      'Login page loaded',
      'Custom token claims interceptor triggered',
      'Callback to application',
    ]);
  });

  it('has the return of a sign-in that failed', async () => {
    const booted = await boot();

    await new Browser(booted).open(authorizeUrl({ prompt: 'none' }));

    expect(await stepsOf(booted)).toEqual(['Callback to application']);
  });
});
