import { readAnswer } from '../service.ts';
import { environment } from '../session.ts';
import type { Begun } from './begun.ts';

export interface Tokens {
  access_token: string;
  id_token?: string;
  refresh_token?: string;
  expires_in?: number;
}

const KEY = 'understudy-tokens';

/** The tokens of this tab by the state of their sign-in, because a code can be exchanged once only. */
export function storedTokens(state: string): Tokens | undefined {
  const stored = sessionStorage.getItem(`${KEY}:${state}`);
  return stored === null ? undefined : (JSON.parse(stored) as Tokens);
}

const store = (state: string, tokens: Tokens) => {
  sessionStorage.setItem(`${KEY}:${state}`, JSON.stringify(tokens));
  return tokens;
};

export async function exchangeCode(begun: Begun, code: string): Promise<Tokens> {
  const { state, redirect_uri, verifier } = begun;
  const form = { grant_type: 'authorization_code', code, redirect_uri };
  return store(state, await askForTokens(begun, { ...form, ...(verifier && { code_verifier: verifier }) }));
}

/** The former refresh token ends. */
export async function refreshTokens(begun: Begun, former: Tokens): Promise<Tokens> {
  const { refresh_token = '' } = former;
  const renewed = await askForTokens(begun, { grant_type: 'refresh_token', refresh_token });
  return store(begun.state, { ...former, ...renewed });
}

/** Asks as the client that began the sign-in, with its secret if it has one. */
async function askForTokens({ client_id }: Begun, form: Record<string, string>): Promise<Tokens> {
  const { secrets } = await environment.value.state.get('clients', client_id);
  const client_secret = secrets.find(({ status }) => status !== 'INACTIVE')?.secret;
  const response = await fetch('/oauth/token', {
    method: 'POST',
    headers: { 'understudy-environment': environment.value.name },
    body: new URLSearchParams({ ...form, client_id, ...(client_secret && { client_secret }) }),
  });
  return readAnswer<Tokens>(response);
}
