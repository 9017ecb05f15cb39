// What a signed-in user has: sessions, passkeys, codes by mail, and a custom login page.
import { ScalekitBadRequestException, ScalekitNotFoundException } from '@scalekit-sdk/node';
import { expect, it } from 'vitest';
import { ADA, enter, expectThrottledOnce, NINA } from './support.ts';
import { OWN_PAGE, SESSION_OF_ADA } from '../../support/fixture-ids.ts';

const LOGIN = 'lri_10000000000000601';

const env = await enter();
const { session: sessions, webauthn: passkeys, passwordless, auth } = env.connect();

async function newestMail(to: string) {
  const { mails } = (await env.control('GET', `/mail?to=${to}`)) as {
    mails: { code?: string; link?: string }[];
  };
  return mails[0]!;
}

it('lists, reads and revokes sessions', async () => {
  expect(await sessions.getSession(SESSION_OF_ADA)).toMatchObject({ userId: ADA, status: 'active' });
  const first = await sessions.getUserSessions(NINA, { pageSize: 1 });
  expect(first).toMatchObject({ sessions: { length: 1 }, totalSize: 2 });
  const second = await sessions.getUserSessions(NINA, { pageSize: 1, pageToken: first.nextPageToken });
  expect(second.sessions[0]!.sessionId).not.toBe(first.sessions[0]!.sessionId);
  const filter = { status: ['active'], startTime: new Date(Date.now() - 86_400_000), endTime: new Date() };
  expect((await sessions.getUserSessions(NINA, { filter })).sessions).toMatchObject([{ status: 'active' }]);

  const { revokedSession } = await sessions.revokeSession(SESSION_OF_ADA);
  expect(revokedSession).toMatchObject({ sessionId: SESSION_OF_ADA, status: 'revoked' });
  expect(await sessions.revokeAllUserSessions(NINA)).toMatchObject({ totalRevoked: 1 });
  await expect(sessions.getSession('ses_404')).rejects.toThrow(ScalekitNotFoundException);
  await expect(sessions.getSession('x'.repeat(65))).rejects.toThrow(ScalekitBadRequestException);
});

it('lists, renames and deletes passkeys', async () => {
  const { credentials } = await passkeys.listCredentials(ADA);
  expect(credentials).toHaveLength(2);
  const { id } = credentials[0]!;
  const { credential } = await passkeys.updateCredential(id, 'Work laptop');
  expect(credential).toMatchObject({ id, displayName: 'Work laptop' });
  expect(await passkeys.deleteCredential(id)).toMatchObject({ success: true });
  await expect(passkeys.deleteCredential(id)).rejects.toThrow(ScalekitNotFoundException);
  await expect(passkeys.updateCredential(credentials[1]!.id, 'x'.repeat(500))).rejects.toThrow(
    ScalekitBadRequestException,
  );
});

it('verifies a mailed code', async () => {
  const sent = await passwordless.sendPasswordlessEmail('ada@acme.example', {
    template: 'SIGNIN' as never,
    state: 'invoices',
    expiresIn: 600,
    templateVariables: { team_name: 'Finance' },
  });
  expect(sent).toMatchObject({ authRequestId: expect.stringMatching(/./), expiresIn: 600 });
  await expect(passwordless.verifyPasswordlessEmail({ code: '000000' }, sent.authRequestId)).rejects.toThrow(
    ScalekitBadRequestException,
  );
  const resent = await passwordless.resendPasswordlessEmail(sent.authRequestId);
  const { code } = await newestMail('ada@acme.example');
  const verified = await passwordless.verifyPasswordlessEmail({ code: code! }, resent.authRequestId);
  expect(verified).toMatchObject({ email: 'ada@acme.example', state: 'invoices' });

  await expect(passwordless.resendPasswordlessEmail('nothing')).rejects.toThrow(ScalekitNotFoundException);
  await expect(passwordless.sendPasswordlessEmail('nobody')).rejects.toThrow(ScalekitBadRequestException);
});

it('reports the user who signed in at a custom login page', async () => {
  const user = { sub: 'desk-18', email: 'ines@empty-desk.example', customAttributes: { floor: 3 } };
  await auth.updateLoginUserDetails(OWN_PAGE, LOGIN, user);
  expect(await env.control('GET', `/state/login_requests/${LOGIN}`)).toMatchObject({
    status: 'COMPLETED',
    user: { sub: 'desk-18', custom_attributes: { floor: 3 } },
  });
  await expect(auth.updateLoginUserDetails(OWN_PAGE, 'lri_404', user)).rejects.toThrow(
    ScalekitNotFoundException,
  );
  await expect(auth.updateLoginUserDetails(OWN_PAGE, LOGIN, user)).rejects.toThrow(
    ScalekitBadRequestException,
  );
});

it('throws once when a scenario throttles the call', async () => {
  await expectThrottledOnce(env, 'SessionService_GetSession', () => sessions.getSession(SESSION_OF_ADA));
  await expectThrottledOnce(env, 'WebAuthnService_ListCredentials', () => passkeys.listCredentials(ADA));
  await expectThrottledOnce(env, 'PasswordlessService_*', () =>
    passwordless.sendPasswordlessEmail('lena@nordwind.example'),
  );
});
