import { readableTime } from '../../pages/controls.ts';
import type { Env } from '../../environment/env.ts';
import { sendMail, highlightedLine } from './send-mail.ts';

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
      `Verify that ${email} is your address to go on with ${purpose}.`,
      highlightedLine('Your code', code),
      highlightedLine('Verify this address', link),
      `This is good until ${readableTime(expires_at)}, and once.`,
      'If this was not you, ignore this mail: nothing happens.',
    ],
    code,
    link,
  });
}
