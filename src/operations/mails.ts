import type { Env, Rows } from '../state/env.ts';
import { readableTime } from '../pages/controls.ts';

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

interface Verification {
  email: string;
  /** A code, a link or both. */
  code?: string | undefined;
  link?: string | undefined;
  expires_at: string;
  /** What the address is verified for, as the mail says it. */
  purpose?: string | undefined;
}

/** Mails a code or a link to prove that the address belongs to the user. */
export function mailVerification(
  env: Env,
  { email, code, link, expires_at, purpose = 'your sign-in' }: Verification,
): void {
  sendMail(env, {
    kind: 'verification',
    to: email,
    subject: code ? `${code} is your verification code` : 'Verify your e-mail address',
    paragraphs: [
      `Verify that ${email} is your address to continue with ${purpose}.`,
      highlightedLine('Your code', code),
      highlightedLine('Verify this address', link),
      `You can use this once, until ${readableTime(expires_at)}.`,
      'If this was not you, ignore this mail: nothing happens.',
    ],
    code,
    link,
  });
}
