import type { JournalEntry } from '../client/control.ts';
import { bodyOf, targetOf } from './as-curl.ts';
import { environment } from './session.ts';

/** Where tokens for the environment's own client come from. */
const TOKEN_PATH = '/oauth/token';
/** Sent anew with the body as it is. */
const KEPT_HEADERS = ['content-type', 'accept'];

/**
 * Makes the call of a journal entry again, over HTTP. Because the journal hides tokens, a call that had one is made by
 * the environment's own client. Resolves to the id of the new entry.
 */
export async function sendAgain(entry: JournalEntry): Promise<string | undefined> {
  const given = entry.request.headers ?? {};
  const headers = new Headers({ 'understudy-environment': environment.value.name });
  for (const name of KEPT_HEADERS) if (typeof given[name] === 'string') headers.set(name, given[name]);
  if (given['authorization'] !== undefined) headers.set('authorization', `Bearer ${await ownToken()}`);
  const body = bodyOf(entry);
  const response = await fetch(targetOf(entry), {
    method: entry.method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && entry.method !== 'GET' && { body }),
  });
  return response.headers.get('understudy-request-id') ?? undefined;
}

async function ownToken(): Promise<string> {
  const { client_id, client_secret } = await environment.value.get();
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(TOKEN_PATH, { method: 'POST', body: form });
  if (!response.ok) throw new Error(`The environment's own client gets no token: ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}
