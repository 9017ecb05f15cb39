import { redirect } from 'next/navigation';
import { redirectUri, scalekit } from '../../lib/scalekit';
import { getSession } from '../../lib/session';

export async function GET(request) {
  const { code, error, state } = Object.fromEntries(request.nextUrl.searchParams);
  const session = await getSession();
  const { codeVerifier, state: expectedState } = session;
  if (!expectedState || state !== expectedState) return refuse('The sign-in was not started here.');
  if (error) return refuse(`The sign-in was refused: ${error}`);

  const { user, idToken, accessToken } = await scalekit().authenticateWithCode(code, redirectUri, {
    codeVerifier,
  });
  const { oid } = await scalekit().validateToken(accessToken);
  Object.assign(session, { user, organizationId: oid, idToken, state: undefined, codeVerifier: undefined });
  await session.save();
  return redirect('/');
}

const refuse = (reason) => new Response(reason, { status: 403 });
