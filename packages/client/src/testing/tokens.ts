/** What a test needs to get tokens as a program of the environment does. */
interface Client {
  url: string;
  clientId: string;
  clientSecret: string;
}

/** The tokens of a user who has signed in. */
export interface Tokens {
  accessToken: string;
  idToken: string;
  refreshToken: string;
}

interface TokenAnswer {
  access_token: string;
  id_token: string;
  refresh_token: string;
}

/** Nothing listens there: only the redirect to this address is read. */
const CALLBACK = 'http://localhost/callback';

export async function clientToken(client: Client): Promise<string> {
  const { access_token } = await exchange(client, { grant_type: 'client_credentials' });
  return access_token;
}

export async function userTokens(client: Client, email: string): Promise<Tokens> {
  const grant = { grant_type: 'authorization_code', redirect_uri: CALLBACK };
  const answer = await exchange(client, { ...grant, code: await codeFor(client, email) });
  return {
    accessToken: answer.access_token,
    idToken: answer.id_token,
    refreshToken: answer.refresh_token,
  };
}

async function codeFor({ url, clientId }: Client, email: string): Promise<string> {
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope: 'openid profile email offline_access',
    login_hint: email,
    understudy_auto: '1',
  });
  const response = await fetch(`${url}/oauth/authorize?${request}`, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (!location?.startsWith(CALLBACK))
    throw new Error(`${email} was not signed in: ${response.status} ${location ?? (await response.text())}`);
  const answer = new URL(location).searchParams;
  const code = answer.get('code');
  if (code === null)
    throw new Error(`${email} was not signed in: ${answer.get('error')}: ${answer.get('error_description')}`);
  return code;
}

async function exchange({ url, clientId, clientSecret }: Client, form: Record<string, string>) {
  const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret });
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', body });
  if (!response.ok) throw new Error(`no token for ${clientId}: ${await response.text()}`);
  return (await response.json()) as TokenAnswer;
}
