import type { Env, Rows } from '../../state/env.ts';
import { ApiError } from '../../contract/errors.ts';
import { isObject } from '@understudy/text/json';
import { newClientId } from '../clients/secrets.ts';
import { allowsDocument } from '../resources/document-allowlist.ts';
import { refuseFurtherClients } from '../resources/resource-clients.ts';
import type { Resource } from '../resources/resource.ts';
import { flawOfOwn, MOST_OWN } from './redirect-uris.ts';

type Client = Rows['clients'];

/** Whether a client id is the address of a metadata document. */
export const isDocumentAddress = (id: string): boolean => /^https?:\/\//i.test(id);

/** The client that a document describes (draft-ietf-oauth-client-id-metadata-document). Reads it at each sign-in. */
export function clientOfDocument(env: Env, resource: Resource, address: string): Client {
  const flaw = flawOfAddress(address);
  if (flaw) throw refusal(`client_id ${flaw}: ${address}`);
  if (!allowsDocument(resource, address))
    throw refusal(`cimd_client_allowlist of resource ${resource.id} lacks ${address}`);
  const metadata = readMetadata(fetched(env, address), address);
  const known = env.clients.findBy('metadata_uri', `${resource.id} ${address}`);
  const now = env.clock.iso();
  if (known) return env.clients.update(known.id, { ...metadata, update_time: now });
  refuseFurtherClients(env, resource);
  return env.clients.insert({
    ...metadata,
    id: newClientId(env, 'm2m'),
    resource_id: resource.id,
    metadata_uri: address,
    scopes: [],
    secrets: [],
    create_time: now,
    update_time: now,
  });
}

function fetched(env: Env, url: string): string {
  const headers = { accept: 'application/json' };
  const call = { provider: url, method: 'GET', url, headers, credentials: {}, body: '' };
  const outcome = env.callProvider({ ...call, kind: 'client_document' });
  if (outcome.failure) throw refusal(outcome.message);
  if (outcome.status !== 200) throw refusal(`${url} answered ${outcome.status}`);
  return outcome.text;
}

/** Plain http is accepted for a client on this machine only. The draft has no such exception. */
function flawOfAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not an address';
  const { protocol, hostname, pathname, hash, username, password } = new URL(address);
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  if (protocol !== 'https:' && !isLocal) return 'must be an https address';
  if (pathname === '/') return 'must have a path';
  return hash || username || password ? 'must have no fragment, user name or password' : undefined;
}

function readMetadata(text: string, address: string) {
  const document = parse(text, address);
  const { client_id, redirect_uris, token_endpoint_auth_method: method = 'none' } = document;
  if (client_id !== address) throw refusal(`client_id in ${address} is not this address`);
  if ('client_secret' in document || method !== 'none')
    throw refusal(`${address} must describe a public client: token_endpoint_auth_method none`);
  const isList = Array.isArray(redirect_uris) && redirect_uris.length > 0 && redirect_uris.length <= MOST_OWN;
  if (!isList || !redirect_uris.every(isRedirect))
    throw refusal(
      `redirect_uris in ${address} must be a list of at most ${MOST_OWN} addresses without stars, queries and fragments`,
    );
  const text_of = (name: string) => (typeof document[name] === 'string' ? document[name] : undefined);
  const links = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'].map((name) => [name, text_of(name)]);
  const name = (text_of('client_name') ?? new URL(address).host).slice(0, LONGEST_NAME);
  return { name, post_login_uris: redirect_uris as string[], ...Object.fromEntries(links) } as const;
}

const LONGEST_NAME = 128;

const isRedirect = (address: unknown) => typeof address === 'string' && !flawOfOwn(address);

function parse(text: string, address: string): Record<string, unknown> {
  try {
    const document: unknown = JSON.parse(text);
    if (isObject(document)) return document;
  } catch {
    // Not JSON, as refused below.
  }
  throw refusal(`${address} is not a JSON object`);
}

/**
 * Unverified (oauth/metadata-document-refused): the docs name the error, but not where it is told. Without a redirect
 * address it is on the page.
 */
const refusal = (message: string) =>
  new ApiError('invalid_argument', `invalid_client_metadata_url: ${message}`, {
    why: { kind: 'protocol' },
  }).decidedBy('oauth/metadata-document-refused');
