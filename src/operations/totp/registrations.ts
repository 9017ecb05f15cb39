import { rowNamed, stateCause } from '../../contract/cause.ts';
import { failedPrecondition, invalidArgument, notFound, ApiError } from '../../contract/errors.ts';
import type { Env, Rows } from '../../state/env.ts';
import type { Operations } from '../handler.ts';
import { drawBytes } from '../passkeys/ceremonies.ts';
import { createHmac } from 'node:crypto';

export const registrations = {
  TOTPService_RegisterTOTP({ body: { user_id, account_name } }, env) {
    if (user_id && account_name) throw invalidArgument('user_id and account_name exclude each other');
    if (!user_id && !account_name) throw invalidArgument('user_id or account_name is required');
    const owner = user_id ? { user_id: env.users.get(user_id).id } : { account_name: account_name ?? '' };
    const { id, create_time, update_time, ...made } = register(env, owner);
    const qr_code_uri = addressOf(env, { id, create_time, update_time, ...made });
    // Unverified (second-factors/registration): the answer has the registration in a field, as the request over gRPC.
    return { totp_registration: { id, create_time, update_time, ...owner, qr_code_uri } };
  },

  TOTPService_EnableTOTP({ path, body }, env) {
    const registration = env.totp_registrations.get(path.registration_id);
    return { id: registration.id, backup_codes: enable(env, registration, body.code) };
  },

  TOTPService_DisableTOTP({ path, body }, env) {
    disable(env, env.totp_registrations.get(path.registration_id), body.code);
    return {};
  },

  TOTPService_VerifyRegistrationCode({ path, body }, env) {
    const registration = env.totp_registrations.get(path.registration_id);
    if (registration.status === 'DISABLED')
      throw failedPrecondition(`TOTP registration ${registration.id} is disabled`, {
        rows: [rowNamed('totp_registrations', registration)],
        leads: ['TOTPService_RegisterTOTP'],
      });
    const valid = 'factor' in useCode(env, registration, body.code);
    // The same code may enable the app afterwards.
    if (valid && registration.status === 'PENDING')
      env.totp_registrations.update(registration.id, { used_period: registration.used_period });
    return { valid };
  },

  TOTPService_VerifyUserCode({ path, body }, env) {
    const { id } = env.users.get(path.user_id);
    const registration = enabledRegistration(env, id);
    if (!registration)
      throw failedPrecondition(`user ${id} has no enabled authenticator app`, {
        rows: [rowNamed('users', { id })],
        leads: ['TOTPService_RegisterTOTP', 'TOTPService_EnableTOTP'],
      });
    return { valid: 'factor' in useCode(env, registration, body.code) };
  },
} satisfies Partial<Operations>;

type Owner = Pick<Registration, 'user_id'> | Pick<Registration, 'account_name'>;

/**
 * Makes the secret of an app. Unverified (second-factors/one-app): it replaces one of the same user that is not enabled.
 */
export function register(env: Env, owner: Owner): Registration {
  if ('user_id' in owner && owner.user_id !== undefined) {
    refuseIfEnabled(env, owner.user_id);
    for (const { id } of env.totp_registrations.list('user_id', owner.user_id)) {
      env.decidedBy('second-factors/one-app');
      env.remove('totp_registrations', id);
    }
  }
  const now = env.clock.iso();
  return env.totp_registrations.insert({
    ...owner,
    id: env.draw.id('totp'),
    secret: base32(drawBytes(env, 20)),
    status: 'PENDING',
    backup_codes: [],
    failed_at: [],
    create_time: now,
    update_time: now,
  });
}

/** Enables an app with its code; returns the backup codes. */
export function enable(env: Env, registration: Registration, code: string): string[] {
  const { id, status, user_id } = registration;
  if (status === 'ENABLED')
    throw failedPrecondition(`TOTP registration ${id} is enabled already`, {
      rows: [rowNamed('totp_registrations', registration)],
      leads: ['TOTPService_DisableTOTP'],
    });
  if (user_id !== undefined) refuseIfEnabled(env, user_id);
  requireCode(env, registration, code);
  const backup_codes = Array.from({ length: BACKUP_CODES }, () => drawBackupCode(env));
  env.totp_registrations.update(id, { status: 'ENABLED', backup_codes, update_time: env.clock.iso() });
  return backup_codes;
}

/** Unverified (second-factors/backup-codes): their number and form. */
const BACKUP_CODES = 10;

const drawBackupCode = ({ draw }: Env): string => {
  const digits = String(draw.integer() % 100_000_000).padStart(8, '0');
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
};

export function disable(env: Env, registration: Registration, code: string): void {
  const { id, status } = registration;
  if (status !== 'ENABLED')
    throw failedPrecondition(`TOTP registration ${id} is not enabled`, {
      rows: [rowNamed('totp_registrations', registration)],
      needs: { status: 'ENABLED' },
      leads: ['TOTPService_EnableTOTP'],
    });
  requireCode(env, registration, code);
  const update_time = env.clock.iso();
  env.totp_registrations.update(id, { status: 'DISABLED', backup_codes: [], update_time });
}

/** What an authenticator app scans as a QR code. */
export function addressOf({ users }: Pick<Env, 'users'>, registration: Registration): string {
  const { user_id = '', account_name, secret } = registration;
  const name = encodeURIComponent(account_name ?? users.find(user_id)?.email ?? user_id);
  return `otpauth://totp/Scalekit:${name}?secret=${secret}&issuer=Scalekit`;
}

/** Sets up an authenticator app for a user, already confirmed with a code. */
export function enrol(env: Env, user: string) {
  const { id: user_id } =
    env.users.find(user) ?? env.users.findBy('email', user.toLowerCase()) ?? absent(user);
  const registration = register(env, { user_id });
  enable(env, registration, shownCode(env, registration));
  return viewAuthenticator(env, env.totp_registrations.get(registration.id));
}

function absent(user: string): never {
  throw notFound('user', user);
}

/** An app without a telephone: what it shows, by the clock of the environment. */
export function viewAuthenticator(env: Env, registration: Registration, drift?: number) {
  const { id, user_id, account_name, status, secret, backup_codes } = registration;
  return {
    registration_id: id,
    ...(user_id !== undefined && { user_id }),
    ...(account_name !== undefined && { account_name }),
    status,
    secret,
    qr_code_uri: addressOf(env, registration),
    backup_codes,
    code: shownCode(env, registration, drift),
  };
}

/** By the id or the address of its user, an account name, or its own id. The newest one counts. */
export function findAuthenticator(env: Env, wanted: string): Registration {
  const user = env.users.find(wanted) ?? env.users.findBy('email', wanted.toLowerCase());
  const found =
    (user && env.totp_registrations.list('user_id', user.id).at(-1)) ??
    env.totp_registrations.findBy('account_name', wanted) ??
    env.totp_registrations.find(wanted);
  if (found) return found;
  throw notFound('authenticator app', `of ${user?.id ?? wanted}`);
}

export type Registration = Rows['totp_registrations'];

/** The user's authenticator app, if it is enabled. */
export const enabledRegistration = (env: Env, user_id: string): Registration | undefined =>
  env.totp_registrations.list('user_id', user_id).find(({ status }) => status === 'ENABLED');

function refuseIfEnabled(env: Env, user_id: string): void {
  const enabled = enabledRegistration(env, user_id);
  if (enabled)
    throw failedPrecondition(
      `user ${user_id} has the enabled TOTP registration ${enabled.id}: disable it first`,
      {
        rows: [rowNamed('totp_registrations', enabled)],
        needs: { status: 'DISABLED' },
        leads: ['TOTPService_DisableTOTP'],
      },
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
function useCode(env: Env, registration: Registration, typed: string): CheckedCode {
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
  throw new ApiError('invalid_argument', checked.refusal, {
    writesStand: true,
    why: stateCause(checked.refusal, rowNamed('totp_registrations', registration)),
  });
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
function shownCode(env: Env, { secret, used_period = -Infinity }: Registration, drift?: number): string {
  const period = periodAt(env.clock.ms + (drift ?? 0) * 1000);
  const isUsed = drift === undefined && used_period >= period;
  return codeOf(secret, isUsed ? period + DRIFT : period);
}

/** How long a code is shown, in milliseconds (RFC 6238 4.1). */
const PERIOD = 30_000;

/** The period of 30 seconds, counted from 1970. */
const periodAt = (milliseconds: number): number => Math.floor(milliseconds / PERIOD);

/** The six digits of a period (RFC 6238, with the HMAC of RFC 4226 5.3). */
function codeOf(secret: string, period: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigInt64BE(BigInt(period));
  const mac = createHmac('sha1', bytesIn(secret)).update(counter).digest();
  const offset = mac[mac.length - 1]! & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** In base32 without padding (RFC 4648 6). */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[parseInt(five.padEnd(5, '0'), 2)]).join('');
}

function bytesIn(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
}
