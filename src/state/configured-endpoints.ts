import type { Change } from '../store/change-log.ts';
import type { Rows } from './env.ts';
import type { Tables } from './env.ts';

/** Webhook endpoints from the command line; every environment has them. */
export interface ConfiguredEndpoints {
  urls: readonly string[];
  secret: string;
}

type Endpoint = Rows['webhook_endpoints'];

const CREATED_AT = '2026-01-01T00:00:00.000Z';
const FIRST_ID = 1_000_000_000_000_000_001n;
const CONFIGURED_ID = /^ep_10{16}\d\d$/;

/**
 * Changes that add missing endpoints of the command line. What testers changed in one (a filter, a pause, a rotated
 * secret) stays.
 */
export function endpointsToAdd({ urls, secret }: ConfiguredEndpoints, tables: Tables): Change[] {
  return [...new Set(urls)].flatMap((url, index) => {
    const id = `ep_${FIRST_ID + BigInt(index)}`;
    const known = tables.webhook_endpoints.find(id);
    if (known?.url === url && signsWith(known, secret)) return [];
    const row = {
      enabled: true,
      max_in_flight: 1,
      created_at: CREATED_AT,
      ...known,
      id,
      kind: 'http',
      url,
      secret,
      updated_at: CREATED_AT,
    };
    return [{ collection: 'webhook_endpoints', id, row }];
  });
}

/** Changes that remove endpoints of an earlier start, with their deliveries. */
export function endpointsToRemove({ urls }: ConfiguredEndpoints, tables: Tables): Change[] {
  const beyond = FIRST_ID + BigInt(new Set(urls).size);
  const gone = tables.webhook_endpoints
    .list()
    .filter(({ id }) => CONFIGURED_ID.test(id) && BigInt(id.slice(3)) >= beyond);
  return gone.flatMap(({ id }) => [
    ...tables.webhook_deliveries
      .list('endpoint_id', id)
      .map((delivery) => removal('webhook_deliveries', delivery.id)),
    removal('webhook_endpoints', id),
  ]);
}

const removal = (collection: string, id: string): Change => ({ collection, id, row: null });

/** With the current secret or an old one. */
const signsWith = ({ secret, old_secrets = [] }: Endpoint, wanted: string) =>
  [secret, ...old_secrets.map((old) => old.secret)].includes(wanted);
