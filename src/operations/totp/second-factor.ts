import { ApiError, failedPrecondition } from '../../errors.ts';
import type { Env, Rows } from '../../state/env.ts';
import { codeOf, periodAt } from './one-time-code.ts';

export type Registration = Rows['totp_registrations'];

/** The user's authenticator app, if it is enabled. */
export const enabledRegistration = (env: Env, user_id: string): Registration | undefined =>
  env.totp_registrations.list('user_id', user_id).find(({ status }) => status === 'ENABLED');

export function refuseIfEnabled(env: Env, user_id: string): void {
  const enabled = enabledRegistration(env, user_id);
  if (enabled)
    throw failedPrecondition(
      `user ${user_id} has the enabled TOTP registration ${enabled.id}: disable it first`,
    );
}

type Proofs = Pick<
  Rows['login_transactions'],
  'user_id' | 'session_id' | 'identity' | 'is_automatic' | 'second_factor'
>;

/**
 * Whether a sign-in needs a code of the user's authenticator app. Unverified (second-factors/at-sign-in): the service has
 * no page for it yet. Here an app that is enabled is asked for, except after a provider or in an automatic sign-in.
 */
export function awaitsSecondFactor(env: Env, { user_id, session_id, ...proofs }: Proofs): boolean {
  if (user_id === undefined || session_id !== undefined || proofs.second_factor) return false;
  if (proofs.is_automatic || proofs.identity?.connection_id) return false;
  if (!enabledRegistration(env, user_id)) return false;
  env.decidedBy('second-factors/at-sign-in');
  return true;
}

const MOST_WRONG_CODES = 5;
const WRONG_CODES_COUNT = 10 * 60_000;

/** Periods that the clock of the app may be ahead or behind (RFC 6238 5.2). */
const DRIFT = 1;

type Factor = 'totp' | 'backup_code';

/** What a code is; `refusal` says why it does not count. */
type CheckedCode = { factor: Factor } | { refusal: string };

/**
 * Uses up a code of the app or a backup code. A refused one is counted. Throws `rate_limited` after too many refused ones.
 * Unverified (second-factors/limits): five refused codes in ten minutes, and one period of drift.
 */
export function useCode(env: Env, registration: Registration, typed: string): CheckedCode {
  const failed = recentFailures(env, registration);
  if (failed.length >= MOST_WRONG_CODES)
    throw new ApiError('rate_limited', 'too many wrong codes: wait ten minutes').decidedBy(
      'second-factors/limits',
    );
  const code = typed.replace(/[\s-]/g, '');
  const period = periodOf(env, registration, code);
  const backup = registration.backup_codes.find((each) => each.replace('-', '') === code);
  const { used_period = -Infinity } = registration;
  if (period !== undefined && period > used_period) {
    env.totp_registrations.update(registration.id, { used_period: period, failed_at: [] });
    return { factor: 'totp' };
  }
  if (backup !== undefined) {
    const backup_codes = registration.backup_codes.filter((each) => each !== backup);
    env.totp_registrations.update(registration.id, { backup_codes, failed_at: [] });
    return { factor: 'backup_code' };
  }
  env.totp_registrations.update(registration.id, { failed_at: [...failed, env.clock.iso()] });
  return { refusal: period === undefined ? 'code is wrong' : 'code was used already: wait for the next one' };
}

/** Uses up a code. Throws `invalid_argument` for a refused one, which is counted. */
export function requireCode(env: Env, registration: Registration, typed: string): Factor {
  const checked = useCode(env, registration, typed);
  if ('factor' in checked) return checked.factor;
  throw new ApiError('invalid_argument', checked.refusal, { writesStand: true });
}

/** The period whose code it is, among those that a clock with little drift shows. */
function periodOf(env: Env, { secret }: Registration, code: string): number | undefined {
  const now = periodAt(env.clock.ms);
  const shown = Array.from({ length: 2 * DRIFT + 1 }, (_, index) => now - DRIFT + index);
  return shown.findLast((period) => codeOf(secret, period) === code);
}

const recentFailures = (env: Env, { failed_at }: Registration): string[] =>
  failed_at.filter((time) => Date.parse(time) > env.clock.ms - WRONG_CODES_COUNT);

/** The code that the app shows, or the next one if that is used up. With a drift: the code of that clock. */
export function shownCode(
  env: Env,
  { secret, used_period = -Infinity }: Registration,
  drift?: number,
): string {
  const period = periodAt(env.clock.ms + (drift ?? 0) * 1000);
  const isUsed = drift === undefined && used_period >= period;
  return codeOf(secret, isUsed ? period + DRIFT : period);
}
