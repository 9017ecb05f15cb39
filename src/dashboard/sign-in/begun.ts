import { environmentName } from '../route.ts';
import { readAnswer } from '../service.ts';
import { environment } from '../session.ts';

/** A sign-in that this browser has begun and that may come back. */
export interface Begun {
  state: string;
  nonce: string;
  client_id: string;
  redirect_uri: string;
  /** The e-mail address of the user who was asked for; empty: anybody. */
  expected: string;
  /** Absent without PKCE. */
  verifier?: string;
}

const KEY = 'understudy-sign-ins';
const MOST = 20;

/** A sign-in returns in another tab, so it is kept in the storage that tabs share. */
export function remember(begun: Begun): void {
  localStorage.setItem(KEY, JSON.stringify([begun, ...remembered()].slice(0, MOST)));
}

export const find = (state: string): Begun | undefined => remembered().find((each) => each.state === state);

function remembered(): Begun[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as Begun[];
  } catch {
    return [];
  }
}

/** The redirect address at which the dashboard takes codes of the environment that is shown. */
export const callbackAddress = (): string => ownAddress('callback');

/** Where an identity provider may send a browser to begin a sign-in. */
export const initiateAddress = (): string => ownAddress('initiate');

const ownAddress = (step: string) => `${location.origin}/_control/sign-in/${environmentName.value}/${step}`;

export interface Tokens {
  access_token: string;
  id_token?: string;
  refresh_token?: string;
  expires_in?: number;
}

const TOKENS = 'understudy-tokens';

/** The tokens of this tab by the state of their sign-in, because a code can be exchanged once only. */
export function storedTokens(state: string): Tokens | undefined {
  const stored = sessionStorage.getItem(`${TOKENS}:${state}`);
  return stored === null ? undefined : (JSON.parse(stored) as Tokens);
}

const store = (state: string, tokens: Tokens) => {
  sessionStorage.setItem(`${TOKENS}:${state}`, JSON.stringify(tokens));
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
