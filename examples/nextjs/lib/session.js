import { getIronSession } from 'iron-session';
import { cookies } from 'next/headers';
import { appUrl } from './scalekit';

export async function getSession() {
  return getIronSession(await cookies(), {
    cookieName: 'session',
    password: process.env.SESSION_SECRET, // at least 32 characters
    cookieOptions: { sameSite: 'lax', secure: appUrl.startsWith('https:') },
  });
}
