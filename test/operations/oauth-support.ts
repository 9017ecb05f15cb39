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

export const ADA = 'usr_10000000000000101';
export const ACME = 'org_10000000000000001';

/** Of the length that PKCE wants. */
export const VERIFIER = 'a-verifier-of-a-suite-that-is-long-enough-for-it';
export const PKCE = {
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
};

type Parameters = Record<string, string | undefined>;

/** An address of the authorization endpoint: of the environment's own client, but for what is said. */
export function authorizeUrl(said: Parameters = {}): string {
  const all: Parameters = {
    client_id: OWN.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile email offline_access',
    ...said,
  };
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}

/** Signs Ada in, in a browser of her own, up to where the application is called with. */
export async function signedIn(booted: Booted, said: Parameters = {}) {
  const page = await new Browser(booted).open(authorizeUrl(said));
  return page.submit({ user_id: 'usr_10000000000000101' });
}

export async function codeOf(booted: Booted, said: Parameters = {}): Promise<string> {
  return (await signedIn(booted, said)).query('code')!;
}

export const ask = (agent: Agent, form: Record<string, string>) =>
  agent.post('/oauth/token').set('host', 'localhost:8080').type('form').send(form);

/** What the environment's own client sends for a code. */
export const exchange = (code: string) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: CALLBACK,
  ...OWN,
});

export const refresh = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token, ...OWN });

/** The tokens of Ada, signed in at the environment's own client. */
export async function tokensOf(booted: Booted, said: Parameters = {}) {
  const { body } = await ask(booted.anonymous, exchange(await codeOf(booted, said))).expect(200);
  return body as { access_token: string; id_token: string; refresh_token: string; expires_in: number };
}

/** The claims of a token whose signature is that of a key of /keys. */
export async function verified({ anonymous }: Pick<Booted, 'anonymous'>, token: string, now = NOW) {
  const { body } = await anonymous.get('/keys').expect(200);
  const keys = createLocalJWKSet(body as JSONWebKeySet);
  return (await jwtVerify(token, keys, { currentDate: new Date(now) })).payload;
}

export const halfHash = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
