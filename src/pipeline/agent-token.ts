import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import type { AgentGrant, Caller, Tables } from '../state/env.ts';
import type { Claims } from '../state/keys.ts';
import { ApiError, unauthenticated } from '../contract/errors.ts';
import { withoutEnvironment } from '@understudy/text/issued-code';
import { refuseRevoked } from '../operations/oauth/revoked-tokens.ts';
import { header, type Call } from './call.ts';
import type { SecuredCall } from './callers.ts';

/** The user of an MCP server's session token, which is good for the paths of its own server only. */
export function agentOf(claims: Claims, { environment, call }: SecuredCall): Caller {
  refuseRevoked(environment.tables, claims);
  return { client_id: environment.credentials.client_id, agent: grantOf(claims, call.path, environment) };
}

/**
 * What a session token of an MCP server allows. Throws `unauthenticated` for another token, and for a token of another
 * server.
 */
function grantOf(claims: Claims, path: string, { name: environment, tables }: GrantPlace): AgentGrant {
  const { token_type, aud, sub, ca_ids, access_level } = claims;
  if (token_type !== 'mcp_session') throw unauthenticated('token is not a session token of an MCP server');
  const server = serverPath(claims, tables);
  // The host does not count: an agent in a container calls the same server by another name.
  const isOfServer = canonical(String(aud), environment).endsWith(server);
  if (!isOfServer || canonical(path, environment) !== server)
    throw unauthenticated('token is for another MCP server');
  return {
    identifier: String(sub),
    account_ids: Array.isArray(ca_ids) ? ca_ids.map(String) : [],
    isReadOnly: access_level === 'READ_ONLY',
  };
}

/**
 * The path of the only server that the token is for: that of its configuration, or of its connection (descriptors of the
 * Python SDK).
 */
function serverPath({ mcp_cfg, conn_id }: Claims, tables: Tables): string {
  if (typeof conn_id === 'string') {
    const connection = tables.connections.find(conn_id);
    if (connection) return `/mcp/v3/connections/${encodeURIComponent(connection.key_id ?? '')}`;
    throw unauthenticated('connection of the token is gone');
  }
  const config = tables.mcp_configs.find(String(mcp_cfg));
  if (config) return `/mcp/v3/servers/${withoutEnvironment(config.server_token)}`;
  throw unauthenticated('configuration of the token is gone');
}

interface GrantPlace {
  name: string;
  tables: Tables;
}

/** One spelling for all ways to write the last segment. A malformed path stays as it is, and fits nothing. */
function canonical(path: string, environment: string): string {
  const [folder = '', name = ''] = /^(.*\/)([^/]+)\/?$/.exec(path)?.slice(1) ?? [];
  try {
    const plain = decodeURIComponent(name);
    // The name of a connection may have a dot, and never names an environment.
    const isServer = folder.endsWith('/servers/');
    const isNamed = isServer && plain.startsWith(`${environment}.`);
    return `${folder}${encodeURIComponent(isNamed ? withoutEnvironment(plain) : plain)}`;
  } catch {
    return path; // a URIError
  }
}

/** A call without a good token. */
export interface Refusal {
  error: ApiError;
  call: Call;
  environment: { readonly name: string };
}

/** Says where the metadata of the server are (RFC 9728 5.1), and that a sent token is bad (RFC 6750 3). */
export function challenge({ error: { message: reason, parts }, ...refusedCall }: Refusal): ApiError {
  const isSent = header(refusedCall.call, 'authorization') !== undefined;
  const message = isSent ? reason : `${reason}: ${wanted(refusedCall.call.path)}`;
  const metadata = `resource_metadata="${metadataAddress(refusedCall)}"`;
  // RFC 6750 3 allows these characters. A message may quote what the caller sent.
  const description = message.replaceAll(/[^\x20-\x7e]|["\\]/g, "'");
  const refused = isSent ? `error="invalid_token", error_description="${description}", ` : '';
  return new ApiError('unauthenticated', message, {
    ...parts,
    headers: { 'www-authenticate': `Bearer ${refused}${metadata}` },
  });
}

/** A client that registers itself gets no token for this server, so the message says where there is one. */
const wanted = (path: string): string =>
  `send a session token in the header authorization: Bearer. No sign-in gives one; POST /api/v1/mcp/${
    path.startsWith('/mcp/v3/connections/') ? 'connections/{key_id}' : 'configs/{mcp_config_id}'
  }/tokens does`;

/**
 * The address of the server's metadata. Nothing in the address of a connection's server names the environment, so the
 * query does. A quotation mark would end the quoted text of the header.
 */
function metadataAddress({ call: { baseUrl, path }, environment: { name } }: Omit<Refusal, 'error'>): string {
  const isUnnamed = name !== DEFAULT_ENVIRONMENT && path.startsWith('/mcp/v3/connections/');
  const query = isUnnamed ? `?understudy_environment=${name}` : '';
  const server = path.replace(/\/$/, '').replaceAll('"', '%22');
  return `${baseUrl}/.well-known/oauth-protected-resource${server}${query}`;
}
