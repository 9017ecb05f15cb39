import { readableTime } from '../../pages/readable-time.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { sendMail, standingOut } from '../mails/send-mail.ts';

type Request = Rows['passwordless_requests'];

/** What the service sends to the person who signs in. */
export function mailPasswordless(world: World, request: Request): void {
  const { email, template, code, template_variables, expires_at } = request;
  const link = linkOf(request);
  const act = template === 'SIGNUP' ? 'sign up' : 'sign in';
  const ways = [code && 'enter the code', link && 'follow the link'].filter(Boolean).join(', or ');
  sendMail(world, {
    kind: 'passwordless',
    to: email,
    subject: code ? `${code} is your code to ${act}` : `Your link to ${act}`,
    paragraphs: [
      ways && `To ${act}, ${ways}.`,
      standingOut('Your code', code),
      standingOut(template === 'SIGNUP' ? 'Sign up' : 'Sign in', link),
      `This is good until ${readableTime(expires_at)}, and once.`,
      'If this was not you, ignore this mail: nobody gets in without it.',
    ],
    code,
    link,
    template_variables,
  });
}

/** The application's own page, with the token in its query. */
export function linkOf({ magiclink_auth_uri, link_token }: Request): string | undefined {
  if (!link_token || !magiclink_auth_uri) return undefined;
  const [page = '', ...fragment] = magiclink_auth_uri.split('#');
  const query = `${page.includes('?') ? '&' : '?'}link_token=${encodeURIComponent(link_token)}`;
  return [`${page}${query}`, ...fragment].join('#');
}
