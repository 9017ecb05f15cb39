import type { Env, Rows } from '../../state/env.ts';
import { invalidArgument } from '../../errors.ts';
import { withEnvironmentName } from '../../text/issued-code.ts';
import { isActive } from '../identity-provider/sign-in-connection.ts';

type Request = Rows['passwordless_requests'];

/** The credential that a caller presents. */
export interface Credential {
  code?: string;
  link_token?: string;
  auth_request_id?: string;
}

/** Unverified (passwordless/code-alphabet): the alphabet. This one leaves out letters that look like digits. */
const ALPHABETS = { NUMERIC: '0123456789', ALPHANUMERIC: 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789' } as const;

export function drawCredentials(env: Env, type: Request['passwordless_type'], email: string) {
  const drawn = drawCode(env, passwordlessConfig(env));
  const code = isTestUser(env, email) ? testCode(env) : drawn;
  const link_token = withEnvironmentName(env, `${env.draw.uuid()}_l`);
  return { ...(type !== 'LINK' && { code }), ...(type !== 'OTP' && { link_token }) };
}

function drawCode({ draw }: Env, { codeLength, codeType }: PasswordlessConfig): string {
  const alphabet = ALPHABETS[codeType];
  return Array.from({ length: codeLength }, () => alphabet[draw.integer() % alphabet.length]).join('');
}

export function findRequest(env: Env, { code, link_token, auth_request_id }: Credential): Request {
  if (code !== undefined && link_token !== undefined)
    throw invalidArgument('code and link_token exclude each other');
  if (code === undefined && link_token === undefined) throw invalidArgument('code or link_token is required');
  if (auth_request_id) return env.passwordless_requests.get(auth_request_id);
  if (link_token === undefined) throw invalidArgument('a code is verified with its auth_request_id');
  if (passwordlessConfig(env).isForSameBrowser)
    throw invalidArgument('a link is verified with its auth_request_id, in the browser that asked for it');
  const request = env.passwordless_requests.findBy('link_token', link_token);
  if (!request) throw invalidArgument('link_token is wrong');
  return request;
}

export const isRight = (request: Request, { code, link_token }: Credential) =>
  code === undefined ? request.link_token === link_token : request.code === code;

/** For users that the settings list as test users (Scalekit docs, Run E2E tests). */
export const STATIC_CODE = '424242';

/** Somebody whose code is never mailed. Nobody is if mails have only a link (Scalekit docs, Run E2E tests). */
export function isTestUser(env: Env, email: string): boolean {
  const { enabled = true, emails = [] } = env.settings.get('settings').test_users ?? {};
  if (!enabled || passwordlessConfig(env).type === 'LINK') return false;
  return emails.some((each) => each.toLowerCase() === email.toLowerCase());
}

const testCode = (env: Env) => env.settings.get('settings').test_users?.code ?? STATIC_CODE;

type Connection = Rows['connections'];

/** The kind of credential that is mailed, and its rules. */
interface PasswordlessConfig {
  type: 'OTP' | 'LINK' | 'LINK_OTP';
  /** In seconds. */
  validity: number;
  /** Mails to one address per minute; 0 means no limit. */
  frequency: number;
  codeLength: number;
  codeType: 'NUMERIC' | 'ALPHANUMERIC';
  isForSameBrowser: boolean;
  isRenewedOnResend: boolean;
}

/** The environment's passwordless connection, preferably an enabled one. */
export function passwordlessConnection(env: Env): Connection | undefined {
  const all = env.connections.list('scope', 'login').filter(({ type }) => type === 'PASSWORDLESS');
  return all.find(isActive) ?? all[0];
}

/**
 * The settings of the environment's passwordless connection, enabled or not, with documented defaults
 * (Scalekit docs, Passwordless). Unverified (passwordless/settings-of-simulator): the simulator's own settings override
 * them.
 */
export function passwordlessConfig(env: Env): PasswordlessConfig {
  const config = passwordlessConnection(env)?.passwordless_config ?? {};
  const settings = env.settings.get('settings');
  return {
    type: settings.passwordless_type ?? typeOf(config),
    validity: settings.passwordless_validity ?? (config.validity || 300),
    // Mails a minute to one address, sent again or not (Scalekit docs, Passwordless).
    frequency: settings.passwordless_mails_per_minute ?? config.frequency ?? 2,
    // Unverified (passwordless/longest-code): the length is capped at the longest code that can be verified.
    codeLength: Math.min(config.code_challenge_length || 6, 20),
    codeType: config.code_challenge_type === 'ALPHANUMERIC' ? 'ALPHANUMERIC' : 'NUMERIC',
    isForSameBrowser:
      settings.passwordless_same_browser_origin ?? config.enforce_same_browser_origin ?? false,
    isRenewedOnResend:
      settings.passwordless_regenerate_on_resend ??
      config.regenerate_passwordless_credentials_on_resend ??
      false,
  };
}

const typeOf = ({ type }: NonNullable<Connection['passwordless_config']>) =>
  type && type !== 'PasswordlessType_UNSPECIFIED' ? type : 'OTP';
