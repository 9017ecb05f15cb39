import { redirect } from 'next/navigation';
import { appUrl, scalekit } from '../../lib/scalekit';
import { getSession } from '../../lib/session';

export async function GET() {
  const session = await getSession();
  const { idToken } = session;
  session.destroy();
  redirect(scalekit().getLogoutUrl({ idTokenHint: idToken, postLogoutRedirectUri: appUrl }));
}
