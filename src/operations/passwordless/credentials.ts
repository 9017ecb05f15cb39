import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { invalidArgument } from '../../errors.ts';
import { withEnvironmentName } from '../environment-prefix.ts';
import { passwordlessConfig, type PasswordlessConfig } from './passwordless-config.ts';

type Request = Rows['passwordless_requests'];

/** The credential that a caller presents. */
export interface Credential {
  code?: string;
  link_token?: string;
  auth_request_id?: string;
}

/** Unverified: the alphabet. This one leaves out letters that look like digits. */
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
const STATIC_CODE = '424242';

export function isTestUser(env: Env, email: string): boolean {
  const { emails = [] } = env.settings.get('settings').test_users ?? {};
  return emails.some((each) => each.toLowerCase() === email.toLowerCase());
}

export const testCode = (env: Env) => env.settings.get('settings').test_users?.code ?? STATIC_CODE;
