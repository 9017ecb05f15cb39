import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

type Request = Rows['passwordless_requests'];

/** Keeps what the service would have sent to the person who signs in. */
export function mailPasswordless(world: World, request: Request): void {
  const { email, template, code, template_variables, expires_at } = request;
  const link = linkOf(request);
  const act = template === 'SIGNUP' ? 'sign up' : 'sign in';
  const ways = [code && `enter the code ${code}`, link && `open ${link}`].filter(Boolean).join(', or ');
  world.mails.insert({
    id: world.draw.id('mail'),
    kind: 'passwordless',
    to: email,
    subject: code ? `${code} is your code to ${act}` : `Your link to ${act}`,
    text: `To ${act}, ${ways}. This is good until ${expires_at}.`,
    ...(code && { code }),
    ...(link && { link }),
    ...(template_variables && { template_variables }),
    time: world.clock.iso(),
  });
}

/** The application's own page, with the token in its query. */
function linkOf({ magiclink_auth_uri, link_token }: Request): string | undefined {
  if (!link_token || !magiclink_auth_uri) return undefined;
  const [page = '', ...fragment] = magiclink_auth_uri.split('#');
  const query = `${page.includes('?') ? '&' : '?'}link_token=${encodeURIComponent(link_token)}`;
  return [`${page}${query}`, ...fragment].join('#');
}
