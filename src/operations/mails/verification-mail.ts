import { readableTime } from '../../pages/controls.ts';
import type { Env } from '../../environment/env.ts';
import { sendMail, standingOut } from './send-mail.ts';

interface Verification {
  email: string;
  /** One of them, or both. */
  code?: string | undefined;
  link?: string | undefined;
  expires_at: string;
  /** What the address is verified for, as people call it. */
  purpose?: string | undefined;
}

/** Somebody has shown who they are, but not that the address is theirs. */
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
      standingOut('Your code', code),
      standingOut('Verify this address', link),
      `This is good until ${readableTime(expires_at)}, and once.`,
      'If this was not you, ignore this mail: nothing happens.',
    ],
    code,
    link,
  });
}
