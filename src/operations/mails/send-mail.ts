import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

type Mail = Rows['mails'];

/** What a mail is made of; what is empty is left out. */
interface Letter extends Pick<Mail, 'kind' | 'to' | 'subject'> {
  paragraphs: readonly (string | undefined)[];
  code?: string | undefined;
  link?: string | undefined;
  template_variables?: Mail['template_variables'] | undefined;
}

/** Keeps what the service would have sent. */
export function sendMail(
  world: World,
  { paragraphs, code, link, template_variables, ...letter }: Letter,
): Mail {
  return world.mails.insert({
    id: world.draw.id('mail'),
    ...letter,
    text: paragraphs.filter(Boolean).join('\n\n'),
    ...(code && { code }),
    ...(link && { link }),
    ...(template_variables && { template_variables }),
    time: world.clock.iso(),
  });
}

/** A paragraph that the mail's page shows as a button, or as a code to read off. */
export const standingOut = (label: string, value: string | undefined): string | undefined =>
  value && `${label}:\n${value}`;
