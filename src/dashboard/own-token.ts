import type { Environment } from '../client/control.ts';

/** Where tokens for the environment's own client come from. */
const TOKEN_PATH = '/oauth/token';

/** An access token of the environment's own client. */
export async function ownToken({ client_id, client_secret }: Environment): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(TOKEN_PATH, { method: 'POST', body: form });
  if (!response.ok) throw new Error(`The environment's own client gets no token: ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}
