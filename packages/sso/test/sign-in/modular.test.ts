import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { atProvider, patchRow, rowsOf } from '../../../../test/support/sso.ts';
import { OKTA } from '../../../../test/support/fixture-ids.ts';

describe('a sign-in without full-stack authentication', () => {
  it('issues a code for the identity of the connection and stores no user and no session', async () => {
    const booted = await boot();
    const page = await atProvider(booted);
    await patchRow(booted.control, 'settings', 'settings', { full_stack_auth: false });
    const kept = async () => [
      await rowsOf(booted.control, 'users'),
      await rowsOf(booted.control, 'memberships'),
      await rowsOf(booted.control, 'sessions'),
    ];
    const before = await kept();

    const back = await page.submit({ email: 'mia@elsewhere.example', given_name: 'Mia' }, 'id="email"');

    const [code] = await rowsOf(booted.control, 'authorization_codes');
    expect(code).toMatchObject({
      code: back.query('code'),
      subject: `${OKTA};mia@elsewhere.example`,
      connection_ids: [OKTA],
      identity: { email: 'mia@elsewhere.example', attributes: { given_name: 'Mia' } },
    });
    expect(Object.keys(code!)).not.toContain('session_id');
    expect(Object.keys(code!)).not.toContain('user_id');
    expect(await kept()).toEqual(before);
  });
});
