import { describe, expect, it } from 'vitest';
import { boot } from '../../../../test/support/boot.ts';
import { atProvider, rowsOf } from '../../../../test/support/sso.ts';

describe('the sso fixture', () => {
  it('has an organization whose users sign in with the IdP simulator', async () => {
    const booted = await boot({ fixture: 'sso' });

    const page = await atProvider(booted, { connection: 'conn_10000000000000261' });
    const person = { email: 'jo@example.org', given_name: 'Jo', attributes: 'department=design' };
    const back = await page.submit(person, 'id="email"');

    expect(page.text).toContain('Sign in with IdP Simulator');
    expect(back.query('code')).toBeTruthy();
    const [code] = await rowsOf(booted.control, 'authorization_codes');
    expect(code).toMatchObject({
      organization_id: 'org_10000000000000004',
      identity: { attributes: { given_name: 'Jo', department: 'design' } },
    });
  });
});
