import type { Environment } from '../client/control.ts';

/** Where tokens for the environment's own client come from. */
const TOKEN_PATH = '/oauth/token';

/** An access token of the environment's own client. */
export async function ownToken({ client_id, client_secret }: Environment): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(TOKEN_PATH, { method: 'POST', body: form });
  const answer = (await response.json().catch(() => ({}))) as {
    access_token?: string;
    error_description?: string;
  };
  if (answer.access_token !== undefined) return answer.access_token;
  const reason = answer.error_description ?? `the service answered ${response.status}`;
  throw new Error(
    `The environment's own client gets no token: ${reason}. If a loaded scenario causes this, the latest call of OAuth_Token under Requests says which one.`,
  );
}
