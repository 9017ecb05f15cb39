import type { Env, Rows } from '@understudy/core/state/env';
import { readProviderMetadata } from '@understudy/saml/metadata-reading';
import { SamlRefusal, shown } from '@understudy/saml/refusal';
import { isSimulated } from '@understudy/core/operations/connections/saml-parties';

type Connection = Rows['connections'];

/** Milliseconds. Unverified (saml/metadata-interval): the documentation says "periodically". */
const INTERVAL = 3_600_000;

/** After a failure. Unverified (saml/metadata-failure), too. */
const PAUSE = 60_000;

/**
 * Reads the metadata of a real provider again if it was read an hour ago, by the clock of the environment, and returns the
 * connection with it. If it cannot be read, what was read before counts, and the next attempt comes after a minute. Throws
 * `SamlRefusal` if nothing was ever read.
 */
export function readMetadata(env: Env, connection: Connection): Connection {
  const { idp_metadata_url: url } = connection.saml_config ?? {};
  if (!url || isSimulated(env, connection)) return connection;
  const known = connection.saml_metadata?.url === url ? connection.saml_metadata : undefined;
  if (known && env.clock.ms - Date.parse(known.read_at) < INTERVAL) return connection;
  const failed = connection.saml_metadata_failure;
  const isEarly = failed?.url === url && env.clock.ms - Date.parse(failed.failed_at) < PAUSE;
  const result = isEarly ? unreadable(failed) : attempt(env, connection, url);
  if (!(result instanceof SamlRefusal)) return result;
  env.decidedBy('saml/metadata-failure');
  if (!known) throw result;
  env.note(`the metadata of ${shown(known.entity_id)} as read at ${known.read_at} counts: ${result.message}`);
  return env.connections.get(connection.id);
}

/** The connection with its new metadata, or why there is none. */
function attempt(env: Env, connection: Connection, url: string): Connection | SamlRefusal {
  try {
    return read(env, connection, url);
  } catch (thrown) {
    if (!(thrown instanceof SamlRefusal)) throw thrown;
    const { problem, received } = thrown.refused;
    const failure = { url, failed_at: env.clock.iso(), problem: `${problem}: ${shown(received)}` };
    env.connections.update(connection.id, { saml_metadata_failure: failure });
    return thrown;
  }
}

function read(env: Env, connection: Connection, url: string): Connection {
  const { entityId, signOn, logoutUrl, certificates } = readProviderMetadata(fetched(env, connection, url));
  env.note(`read the metadata of ${shown(entityId)}: ${certificates.length} certificates for signing`);
  return env.connections.update(connection.id, {
    saml_metadata_failure: undefined,
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

function unreadable({ url, failed_at, problem }: NonNullable<Connection['saml_metadata_failure']>) {
  const next = new Date(Date.parse(failed_at) + PAUSE).toISOString();
  return new SamlRefusal({
    check: 'message',
    problem: `the metadata of the identity provider could not be read at ${failed_at}, and is not read again before ${next}`,
    expected: `metadata at ${url}`,
    received: problem,
    error: 'invalid_saml_metadata',
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
