import { createHash, randomBytes } from 'node:crypto';
import { redirect } from 'next/navigation';
import { redirectUri, scalekit } from '../../lib/scalekit';
import { getSession } from '../../lib/session';

export async function GET() {
  const state = randomBytes(32).toString('base64url');
  const codeVerifier = randomBytes(32).toString('base64url');
  const session = await getSession();
  Object.assign(session, { state, codeVerifier });
  await session.save();

  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const pkce = { codeChallenge, codeChallengeMethod: 'S256' };
  redirect(scalekit().getAuthorizationUrl(redirectUri, { state, ...pkce }));
}
