import type { Change } from '../store/change-log.ts';
import type { Tables } from '../world/world.ts';

export interface Credentials {
  client_id: string;
  client_secret: string;
}

const EVER_SINCE = '2026-01-01T00:00:00.000Z';

/**
 * The client that an environment's credentials belong to is there whatever the rows are: the change that makes it so,
 * none when it is there.
 */
export function admission(
  { client_id: id, client_secret: secret }: Credentials,
  { clients }: Tables,
): Change[] {
  const known = clients.find(id);
  if (known?.secrets.some((each) => each.secret === secret)) return [];
  const secrets = [
    ...(known?.secrets ?? []),
    { id: 'sec_10000000000000001', secret, create_time: EVER_SINCE },
  ];
  const row = {
    name: 'Understudy',
    create_time: EVER_SINCE,
    scopes: [],
    ...known,
    id,
    update_time: EVER_SINCE,
    secrets,
  };
  return [{ collection: 'clients', id, row }];
}

/** Takes the secret of an environment's credentials away; the client stays, for rows may name it. */
export function expulsion({ client_id: id, client_secret }: Credentials, { clients }: Tables): Change[] {
  const known = clients.find(id);
  if (!known) return [];
  const secrets = known.secrets.filter(({ secret }) => secret !== client_secret);
  return [{ collection: 'clients', id, row: { ...known, secrets } }];
}
