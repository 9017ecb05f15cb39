import { expect } from 'understudy-server/playwright';
import { test } from './backend.ts';

// The default fixture ships this invited user (docs/fixtures.md).
const LENA_ID = 'usr_10000000000000105';
const LENA = 'lena@nordwind.example';

test('an expired invitation can be sent again', async ({ page, home, env }, testInfo) => {
  await env.scenario('invite-expired', { user_id: LENA_ID });
  await page.goto(home);
  const lena = page.getByRole('listitem').filter({ hasText: LENA });
  await expect(lena).toContainText('Invitation expired');
  await page.screenshot({ path: testInfo.outputPath('expired.png') });

  await lena.getByRole('button', { name: 'Send again' }).click();

  await expect(page.getByRole('status')).toHaveText('Invitation sent');
  await expect(lena).toContainText('Invited');
  expect((await env.mail.wait({ to: LENA })).subject).toContain('Nordwind');
});

test('an invitation expires while the page is open', async ({ page, home, env }) => {
  await page.goto(home);
  const lena = page.getByRole('listitem').filter({ hasText: LENA });
  await expect(lena).toContainText('Invited');

  await env.clock.advance('14d');
  await page.reload();

  await expect(lena).toContainText('Invitation expired');
});

test('a throttled resend shows the reason and sends no email', async ({ page, home, env }) => {
  await page.goto(home);
  await env.scenario({
    name: 'impatient',
    rules: [{ on: 'UserService_ResendInvite', reply: { error: 'rate_limited', message: 'once a minute' } }],
  });

  await page.getByRole('button', { name: 'Send again' }).click();

  await expect(page.getByRole('status')).toContainText('once a minute');
  await env.requests.wait({ operation: 'UserService_ResendInvite', status: 429 });
  expect(await env.mail.list()).toEqual([]);
});
