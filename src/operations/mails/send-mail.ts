import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';

type Mail = Rows['mails'];

/** The parts of a mail; empty ones are left out. */
interface MailDraft extends Pick<Mail, 'kind' | 'to' | 'subject'> {
  paragraphs: readonly (string | undefined)[];
  code?: string | undefined;
  link?: string | undefined;
  template_variables?: Mail['template_variables'] | undefined;
}

/** Stores a mail that the service would have sent. */
export function sendMail(env: Env, { paragraphs, code, link, template_variables, ...mail }: MailDraft): Mail {
  return env.mails.insert({
    id: env.draw.id('mail'),
    ...mail,
    text: paragraphs.filter(Boolean).join('\n\n'),
    ...(code && { code }),
    ...(link && { link }),
    ...(template_variables && { template_variables }),
    time: env.clock.iso(),
  });
}

/** A paragraph that the mail's page shows as a button, or as a code to copy. */
export const highlightedLine = (label: string, value: string | undefined): string | undefined =>
  value && `${label}:\n${value}`;
