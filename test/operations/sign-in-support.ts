import { expect } from 'vitest';
import type { Agent, Booted } from '../support/boot.ts';
import { Browser, type Visit } from '../support/browser.ts';
import { setPasswordless } from '../support/passwordless.ts';
import { PASSWORDLESS } from '../support/fixture-ids.ts';

export const CALLBACK = 'http://localhost:3000/callback';
export const ADA = { id: 'usr_10000000000000101', email: 'ada@acme.example' };
/** Member of both organizations. The organization of her email domain has no active SSO connection. */
export const NINA = { id: 'usr_10000000000000103', email: 'nina@nordwind.example' };
export const TOM = { id: 'usr_10000000000000104', email: 'tom@acme.example' };
export const LENA = { id: 'usr_10000000000000105', email: 'lena@nordwind.example' };
export const MARCO = { id: 'usr_10000000000000106', email: 'marco@acme.example' };

/** The address to which an application sends its users. */
export function authorizeUrl(
  parameters: Record<string, string> = {},
  client = 'skc_1000000000000000001',
): string {
  const all = {
    client_id: client,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    ...parameters,
  };
  return `/oauth/authorize?${new URLSearchParams(all)}`;
}

/** Signs a user in with a new browser. */
export async function signedIn(
  booted: Booted,
  user: { id: string },
  parameters: Record<string, string> = {},
) {
  const browser = new Browser(booted);
  const page = await browser.open(authorizeUrl(parameters));
  return { browser, visit: await page.submit({ user_id: user.id }) };
}

/** The rows of a collection, oldest first. */
export async function rows(control: Agent, collection: string): Promise<Record<string, unknown>[]> {
  const { body } = await control.get(`/state/${collection}`).expect(200);
  return body.rows ?? body[collection] ?? body;
}

export const lastRow = async (control: Agent, collection: string) =>
  (await rows(control, collection)).at(-1)!;

/** Expects a redirect to the application with a code. */
export function expectCode(visit: Visit): void {
  expect(visit.url).toMatch(/^http:\/\/localhost:3000\/callback\?code=/);
}

/** Expects a redirect to the application with an error. */
export function expectError(visit: Visit, error: string): void {
  expect(visit.url).toContain(CALLBACK);
  expect(visit.query('error')).toBe(error);
}

/** Enables the passwordless connection: users who type an address get a mail. */
export async function mailCodes(booted: Booted, config: object = {}): Promise<void> {
  await booted.control.patch(`/state/connections/${PASSWORDLESS}`).send({ enabled: true }).expect(200);
  await setPasswordless(booted, config);
}
