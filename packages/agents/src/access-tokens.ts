import type { EnvironmentControl } from '@understudy/client/control';
import { jsonOrText } from '@understudy/text/json';
import { ToolError, type ServiceAddress, sendCall } from './service-address.ts';

/** Who asks for a token. */
interface TokenContext {
  address: ServiceAddress;
  environment: EnvironmentControl;
  signal: AbortSignal;
}

interface Credentials {
  client_id: string;
  client_secret: string;
}

interface AccessToken {
  access_token: string;
  expires_in: number;
}

interface KeptToken extends AccessToken {
  /** The time of the environment at which the token expires, in milliseconds. */
  expires: number;
}

const MOST_TOKENS = 100;

/** Access tokens by environment and client, so that the journal has one call for a token and not one for each call. */
export class AccessTokens {
  readonly #kept = new Map<string, KeptToken>();

  /** The token of the environment's own client, until it expires on the environment's clock. */
  async of(context: TokenContext): Promise<string> {
    const { environment } = context;
    const credentials = await environment.get();
    const { now } = await environment.clock.get();
    const key = JSON.stringify([environment.name, credentials.client_id, credentials.created_at]);
    const kept = this.#kept.get(key);
    if (kept && Date.parse(now) < kept.expires) return kept.access_token;
    const made = await requestToken(context, credentials);
    if (this.#kept.size >= MOST_TOKENS) this.#kept.clear();
    this.#kept.set(key, { ...made, expires: Date.parse(now) + made.expires_in * 1000 });
    return made.access_token;
  }

  /** The service refused a token, for example because a reset has removed what it belongs to. */
  forget(): void {
    this.#kept.clear();
  }
}

/** Asks for a token as an application does, so the journal lists the call. */
export async function requestToken(
  { address, environment, signal }: TokenContext,
  { client_id, client_secret }: Credentials,
): Promise<AccessToken> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await sendCall(address, '/oauth/token', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'understudy-environment': environment.name,
      'user-agent': USER_AGENT,
    },
    body: body.toString(),
    signal,
  });
  const answer = jsonOrText(await response.text()) as Partial<AccessToken> & { error_description?: string };
  const { access_token, expires_in = 0, error_description } = answer;
  if (access_token !== undefined) return { access_token, expires_in };
  throw new ToolError(
    `no token for client ${client_id}: ${error_description ?? `the service answered ${response.status}`}`,
  );
}

/** Tells calls of an agent from those of the application in the journal. */
export const USER_AGENT = 'understudy-mcp';
