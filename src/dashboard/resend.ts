import type { JournalEntry } from '../client/control.ts';
import { bodyOf, targetOf } from './as-curl.ts';
import { ownToken } from './own-token.ts';
import { environment } from './session.ts';

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
  if (given['authorization'] !== undefined)
    headers.set('authorization', `Bearer ${await ownToken(await environment.value.get())}`);
  const body = bodyOf(entry);
  const response = await fetch(targetOf(entry), {
    method: entry.method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && entry.method !== 'GET' && { body }),
  });
  return response.headers.get('understudy-request-id') ?? undefined;
}
