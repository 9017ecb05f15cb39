import type { Row } from '@understudy/client/control';
import { serviceUrl } from '../browser.ts';
import { environment, readAnswer } from '../session.ts';
import { environmentName } from '../route.ts';

/** Absent where the page was not loaded from this machine or over https. */
export const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;

export const NO_CRYPTO = 'This browser checks signatures only for pages of localhost or over https.';

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export const base64Of = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

const base64UrlOf = (bytes: Uint8Array): string =>
  base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** Reads base64 and base64url. */
export const bytesIn = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

const randomText = (): string => base64UrlOf(crypto.getRandomValues(new Uint8Array(32)));

/** The challenge that belongs to a PKCE verifier (RFC 7636 4.2). */
async function challengeOf(verifier: string): Promise<string | undefined> {
  const hash = await subtle?.digest('SHA-256', bytesOf(verifier));
  return hash && base64UrlOf(new Uint8Array(hash));
}

/** The rows that a sign-in can name. */
export interface Rows {
  clients: Row<'clients'>[];
  organizations: Row<'organizations'>[];
  connections: Row<'connections'>[];
  users: Row<'users'>[];
  ownClient: string;
}

/** Reads them. The clients of an organization are for machines: they sign nobody in. */
export async function signInRows(): Promise<Rows> {
  const { state } = environment.value;
  const [{ client_id: ownClient }, clients, organizations, connections, users] = await Promise.all([
    environment.value.get(),
    state.list('clients'),
    state.list('organizations'),
    state.list('connections'),
    state.list('users'),
  ]);
  const ofEnvironment = clients.filter(({ organization_id }) => organization_id === undefined);
  return { ownClient, clients: ofEnvironment, organizations, connections, users };
}

interface Decoded {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
}

/** The parts of a JWT; undefined for any other text. */
export function decode(token: string): Decoded | undefined {
  const [header = '', claims = '', signature, ...rest] = token.split('.');
  if (signature === undefined || rest.length > 0) return undefined;
  try {
    return { header: partOf(header), claims: partOf(claims) };
  } catch {
    return undefined;
  }
}

const partOf = (text: string) =>
  JSON.parse(new TextDecoder().decode(bytesIn(text))) as Record<string, unknown>;

/** What a check of a token found. */
export interface CheckResult {
  /** Undefined if the browser can't tell. */
  good: boolean | undefined;
  text: string;
}

type Key = JsonWebKey & { kid?: string };

/** Whether a key of the environment has signed the token. */
export async function verifySignature(token: string): Promise<CheckResult> {
  const kid = decode(token)?.header['kid'];
  const response = await fetch(`${serviceUrl()}/keys`, {
    headers: { 'understudy-environment': environment.value.name },
  });
  const { keys } = await readAnswer<{ keys: Key[] }>(response);
  const key = keys.find((each) => each.kid === kid);
  if (!key) return { good: false, text: `/keys has no key with the kid ${String(kid)}.` };
  if (!subtle) return { good: undefined, text: NO_CRYPTO };
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const imported = await subtle.importKey('jwk', key, algorithm, false, ['verify']);
  const [header, claims, signature = ''] = token.split('.');
  const good = await subtle.verify(algorithm, imported, bytesIn(signature), bytesOf(`${header}.${claims}`));
  const text = good
    ? `The key ${kid as string} of /keys signed it.`
    : `The key ${kid as string} did not sign it.`;
  return { good, text };
}

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
function remember(begun: Begun): void {
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

const ownAddress = (step: string) => `${serviceUrl()}/_control/sign-in/${environmentName.value}/${step}`;

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
  const response = await fetch(`${serviceUrl()}/oauth/token`, {
    method: 'POST',
    headers: { 'understudy-environment': environment.value.name },
    body: new URLSearchParams({ ...form, client_id, ...(client_secret && { client_secret }) }),
  });
  return readAnswer<Tokens>(response);
}
