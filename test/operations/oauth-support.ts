import { createHash } from 'node:crypto';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import type { Agent, Booted } from '../support/boot.ts';
import { Browser } from '../support/browser.ts';

export const NOW = '2030-01-01T00:00:00.000Z';
export const SECONDS = Date.parse(NOW) / 1000;

export const OWN = { client_id: 'skc_1000000000000000001', client_secret: 'test_understudy_default_secret' };
export const PORTAL = { client_id: 'skc_10000000000000002', client_secret: 'test_portal_secret' };
export const SPA = { client_id: 'skc_10000000000000003' };
export const CALLBACK = 'http://localhost:3000/callback';
export const PORTAL_CALLBACK = 'https://app.example.com/callback';
export const SPA_CALLBACK = 'https://dashboard.example.com/callback';

/** Has the minimum length for PKCE. */
export const VERIFIER = 'a-verifier-of-a-suite-that-is-long-enough-for-it';
export const PKCE = {
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
};

type Parameters = Record<string, string | undefined>;

/** A URL of the authorization endpoint, by default for the client of the environment. */
export function authorizeUrl(parameters: Parameters = {}): string {
  const all: Parameters = {
    client_id: OWN.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile email offline_access',
    ...parameters,
  };
  const defined = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(defined)}`;
}

/** Signs Ada in with a new browser and returns the redirect to the application. */
export async function signedIn(booted: Booted, parameters: Parameters = {}) {
  const page = await new Browser(booted).open(authorizeUrl(parameters));
  return page.submit({ user_id: 'usr_10000000000000101' });
}

export async function codeOf(booted: Booted, parameters: Parameters = {}): Promise<string> {
  return (await signedIn(booted, parameters)).query('code')!;
}

export const ask = (agent: Agent, form: Record<string, string>) =>
  agent.post('/oauth/token').set('host', 'localhost:8080').type('form').send(form);

/** The token request of the environment's client for a code. */
export const exchange = (code: string) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: CALLBACK,
  ...OWN,
});

export const refresh = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token, ...OWN });

/** The tokens of Ada after a sign-in at the environment's client. */
export async function tokensOf(booted: Booted, parameters: Parameters = {}) {
  const { body } = await ask(booted.anonymous, exchange(await codeOf(booted, parameters))).expect(200);
  return body as { access_token: string; id_token: string; refresh_token: string; expires_in: number };
}

/** Verifies the token with the keys of /keys and returns its claims. */
export async function verified({ anonymous }: Pick<Booted, 'anonymous'>, token: string, now = NOW) {
  const { body } = await anonymous.get('/keys').expect(200);
  const keys = createLocalJWKSet(body as JSONWebKeySet);
  return (await jwtVerify(token, keys, { currentDate: new Date(now) })).payload;
}

export const halfHash = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
