import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { failedPrecondition, notFound } from '../../errors.ts';
import { isScript } from '../../text/addresses.ts';
import { Redirect, withQuery } from '../custom-reply.ts';
import { withSettings } from '../connections/initial-settings.ts';
import type { Operations } from '../handler.ts';
import { tokenClaims } from '../token-claims.ts';
import { isEmail } from './answer-form.ts';
import type { SelectionError } from './choose-connection.ts';
import { launchpadPage, type Application } from './launchpad-page.ts';
import { isActive, protocolOf } from './social-connection.ts';

type Connection = Rows['connections'];

/** Seconds that the application has to begin the sign-in (Scalekit docs, IdP-initiated SSO). */
const LIFETIME = 300;

/**
 * Sign-ins that begin at the identity provider: the application gets a token and starts the authorization
 * itself.
 */
export const initiate = {
  IdentityProvider_ShowApplications({ path }, env) {
    const connection = connectionOfPath(env, path.connection_id);
    return launchpadPage(env, connection, applications(env, connection));
  },

  IdentityProvider_Initiate({ path, body = {} }, env) {
    const connection = connectionOfPath(env, path.connection_id);
    const known = applications(env, connection);
    const chosen = known.find(({ client }) => !body.client_id || client.id === body.client_id);
    if (!chosen) throw noAddressToBeginAt(body.client_id);
    const login_hint = body.email?.trim() ?? '';
    if (!isEmail(login_hint))
      return launchpadPage(env, connection, known, { ...body, problem: 'Enter an e-mail address.' });
    const refusal = refusalOf(env, connection);
    if (refusal) return new Redirect(withQuery(chosen.address, { ...refusal }), { status: 303 });
    const idp_initiated_login = env.token(claimsOf(env, connection, login_hint, body.relay_state));
    return new Redirect(chosen.address, { status: 303, tokens: { idp_initiated_login } });
  },
} satisfies Partial<Operations>;

/** The address names the environment, because the browser has no cookie yet. */
function connectionOfPath(env: Env, marked: string): Connection {
  const connection = env.connections.get(marked.slice(marked.lastIndexOf('.') + 1));
  if (connection.organization_id && protocolOf(connection)) return connection;
  throw notFound('identity provider', connection.id);
}

/**
 * Applications with an initiate-login address come first. The vendor's SSO simulator uses the default
 * redirect address (Scalekit docs, SSO simulator).
 */
function applications(env: Env, connection: Connection): Application[] {
  const { saml_config } = connection;
  return env.clients
    .list('client_type', 'ALL')
    .toSorted((a, b) => Number(!a.initiate_login_uri) - Number(!b.initiate_login_uri))
    .flatMap((client) => {
      const initial = saml_config?.default_redirect_uri || client.post_login_uris?.[0];
      const address =
        connection.provider === 'IDP_SIMULATOR'
          ? initial || client.initiate_login_uri
          : client.initiate_login_uri || initial;
      return address && URL.canParse(address) && !isScript(address) ? [{ client, address }] : [];
    });
}

const noAddressToBeginAt = (client: string | undefined) =>
  failedPrecondition(
    `${client ? `client ${client}` : 'no client'} has an address where a sign-in can begin: set initiate_login_uri of a client`,
  );

/** Unverified: only SAML has a switch for this; the text is ours. */
function refusalOf(env: Env, connection: Connection): SelectionError | undefined {
  const { id, type, provider } = connection;
  if (!isActive(connection))
    return { error: 'connection_not_active', error_description: `connection ${id} is not active` };
  if (type !== 'SAML' || provider === 'IDP_SIMULATOR') return undefined;
  if (withSettings(env, connection).saml_config?.allow_idp_initiated_login) return undefined;
  return {
    error: 'unauthorized',
    error_description: `connection ${id} does not allow sign-ins that begin at the identity provider`,
  };
}

function claimsOf(env: Env, { id, organization_id }: Connection, login_hint: string, relay_state?: string) {
  return {
    ...tokenClaims(env, LIFETIME),
    organization_id,
    connection_id: id,
    login_hint,
    ...(relay_state && { relay_state }),
  };
}
