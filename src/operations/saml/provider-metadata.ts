import type { Env } from '../../state/env.ts';
import type { Rows } from '../../state/schema.ts';
import { readProviderMetadata } from '../../saml/metadata-reading.ts';
import { SamlRefusal } from '../../saml/refusal.ts';
import { isSimulated } from './parties.ts';

type Connection = Rows['connections'];

/** Milliseconds. Unverified (saml/metadata-interval): the documentation says "periodically". */
const INTERVAL = 3_600_000;

/**
 * Reads the metadata of a real provider again if it was read an hour ago, by the clock of the environment, and returns the
 * connection with it. Throws `SamlRefusal` if there is none.
 */
export function readMetadata(env: Env, connection: Connection): Connection {
  const { idp_metadata_url: url } = connection.saml_config ?? {};
  const known = connection.saml_metadata;
  if (!url || isSimulated(env, connection)) return connection;
  if (known?.url === url && env.clock.ms - Date.parse(known.read_at) < INTERVAL) return connection;
  const { entityId, signOn, logoutUrl, certificates } = readProviderMetadata(fetched(env, connection, url));
  env.note(`read the metadata of ${entityId}: ${certificates.length} certificates for signing`);
  return env.connections.update(connection.id, {
    saml_metadata: {
      url,
      read_at: env.clock.iso(),
      entity_id: entityId,
      certificates,
      ...(signOn.HTTP_REDIRECT && { sso_redirect_url: signOn.HTTP_REDIRECT }),
      ...(signOn.HTTP_POST && { sso_post_url: signOn.HTTP_POST }),
      ...(logoutUrl && { slo_url: logoutUrl }),
    },
  });
}

function fetched(env: Env, { id }: Connection, url: string): string {
  const outcome = env.callProvider({
    kind: 'saml_metadata',
    provider: id,
    method: 'GET',
    url,
    headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml' },
    credentials: {},
    body: '',
  });
  if (outcome.failure === undefined && outcome.status === 200) return outcome.text;
  throw new SamlRefusal({
    check: 'message',
    problem: 'the metadata of the identity provider cannot be read',
    expected: `metadata at ${url}`,
    received: outcome.failure === undefined ? `status ${outcome.status}` : outcome.message,
    error: 'invalid_saml_metadata',
  });
}
