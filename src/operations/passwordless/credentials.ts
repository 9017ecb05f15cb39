import { invalidArgument } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { carrying } from '../environment-mark.ts';
import { passwordlessConfig, type PasswordlessConfig } from './passwordless-config.ts';
import { isTestUser, testCode } from './test-users.ts';

type Request = Rows['passwordless_requests'];

/** What a caller shows to be let in. */
export interface Credential {
  code?: string;
  link_token?: string;
  auth_request_id?: string;
}

/** Unverified: which letters there are; these none takes for a digit. */
const ALPHABETS = { NUMERIC: '0123456789', ALPHANUMERIC: 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789' } as const;

export function drawCredentials(world: World, type: Request['passwordless_type'], email: string) {
  const drawn = drawCode(world, passwordlessConfig(world));
  const code = isTestUser(world, email) ? testCode(world) : drawn;
  const link_token = carrying(world, `${world.draw.uuid()}_l`);
  return { ...(type !== 'LINK' && { code }), ...(type !== 'OTP' && { link_token }) };
}

function drawCode({ draw }: World, { codeLength, codeType }: PasswordlessConfig): string {
  const alphabet = ALPHABETS[codeType];
  return Array.from({ length: codeLength }, () => alphabet[draw.integer() % alphabet.length]).join('');
}

/** The request that a credential is for. */
export function findRequest(world: World, { code, link_token, auth_request_id }: Credential): Request {
  if (code !== undefined && link_token !== undefined)
    throw invalidArgument('code and link_token exclude each other');
  if (code === undefined && link_token === undefined) throw invalidArgument('code or link_token is required');
  if (auth_request_id) return world.passwordless_requests.get(auth_request_id);
  if (link_token === undefined) throw invalidArgument('a code is verified with its auth_request_id');
  if (passwordlessConfig(world).isForSameBrowser)
    throw invalidArgument('a link is verified with its auth_request_id, in the browser that asked for it');
  const request = world.passwordless_requests.findBy('link_token', link_token);
  if (!request) throw invalidArgument('link_token is wrong');
  return request;
}

export const isRight = (request: Request, { code, link_token }: Credential) =>
  code === undefined ? request.link_token === link_token : request.code === code;
