import { environmentName } from '../route.ts';
import { remember } from './begun.ts';
import { challengeOf, randomText } from './bytes.ts';

/** What the form asks for; empty texts are left out. */
export interface Wanted {
  client_id: string;
  redirect_uri: string;
  login_hint: string;
  organization_id: string;
  connection_id: string;
  scope: string;
  prompt: string;
  /** Skips the pages of Understudy. */
  pageless: boolean;
}

export const NOTHING_WANTED: Wanted = {
  client_id: '',
  redirect_uri: '',
  login_hint: '',
  organization_id: '',
  connection_id: '',
  scope: 'openid profile email offline_access',
  prompt: '',
  pageless: false,
};

/**
 * The address that begins the sign-in. The dashboard keeps what it needs to exchange the code, and the address of the
 * user who was asked for (`expected`).
 */
export async function authorizeAddress(
  wanted: Wanted,
  isOwnClient: boolean,
  expected: string,
): Promise<string> {
  const { pageless, ...asked } = wanted;
  const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
  const challenge = await challengeOf(verifier);
  const { client_id, redirect_uri } = wanted;
  remember({ state, nonce, client_id, redirect_uri, expected, ...(challenge !== undefined && { verifier }) });
  const given = {
    response_type: 'code',
    ...asked,
    state,
    nonce,
    ...(challenge !== undefined && { code_challenge: challenge, code_challenge_method: 'S256' }),
    ...(pageless && { understudy_auto: '1' }),
  };
  const query = new URLSearchParams(Object.entries(given).filter(([, text]) => text !== ''));
  return `${originOf(isOwnClient)}/oauth/authorize?${query}`;
}

/** Every environment has the clients of its fixture: beside the client's id, the host names the environment. */
function originOf(isOwnClient: boolean): string {
  const { protocol, hostname, port, origin } = location;
  const name = environmentName.value;
  if (isOwnClient || name === 'default' || !/(^|\.)localhost$/.test(hostname)) return origin;
  return `${protocol}//${name}.localhost${port && `:${port}`}`;
}
