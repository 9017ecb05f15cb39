import type { Agent, Booted } from './boot.ts';
import { Browser, type Visit } from './browser.ts';
import { DEFAULT_CLIENT, OKTA } from './fixture-ids.ts';

export const CALLBACK = 'http://localhost:3000/callback';
export const AUTHORIZE = `/oauth/authorize?client_id=${DEFAULT_CLIENT}&redirect_uri=${CALLBACK}&response_type=code&scope=openid&state=s1`;

/** Starts a sign-in and opens the page of the connection's identity provider. */
export async function atProvider(
  booted: Booted,
  { connection = OKTA, protocol = 'oidc', client = DEFAULT_CLIENT, browser = new Browser(booted) } = {},
): Promise<Visit> {
  const begun = await browser.open(AUTHORIZE.replace(DEFAULT_CLIENT, client));
  const id = begun.url.split('/').pop();
  return browser.open(`/sso/v1/${protocol}/${connection}/init?auth_request_id=${id}`);
}

/** The current rows of a collection. */
export const rowsOf = async (control: Agent, collection: string) =>
  (await control.get('/state').expect(200)).body[collection] as Record<string, unknown>[];

export const patchRow = (control: Agent, collection: string, id: string, changes: object) =>
  control.patch(`/state/${collection}/${id}`).send(changes).expect(200);
