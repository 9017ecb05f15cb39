import type { Change } from '../store/change-log.ts';
import type { Rows } from './rows/schema.ts';
import type { Tables } from './env.ts';

/** Whom the program was started to tell of all that happens, in every environment. */
export interface ConfiguredEndpoints {
  urls: readonly string[];
  /** What deliveries to them are signed with. */
  secret: string;
}

type Endpoint = Rows['webhook_endpoints'];

const EVER_SINCE = '2026-01-01T00:00:00.000Z';
const FIRST = 1_000_000_000_000_000_001n;
const OURS = /^ep_10{16}\d\d$/;

/**
 * Endpoints that the program was started with are there whatever the rows are: the changes that make it so, none when
 * they are there. What else a tester has made of one (a filter, a pause, a rotated secret) stays.
 */
export function endpointAdmission({ urls, secret }: ConfiguredEndpoints, tables: Tables): Change[] {
  return [...new Set(urls)].flatMap((url, index) => {
    const id = `ep_${FIRST + BigInt(index)}`;
    const known = tables.webhook_endpoints.find(id);
    if (known?.url === url && signsWith(known, secret)) return [];
    const row = {
      enabled: true,
      max_in_flight: 1,
      created_at: EVER_SINCE,
      ...known,
      id,
      kind: 'http',
      url,
      secret,
      updated_at: EVER_SINCE,
    };
    return [{ collection: 'webhook_endpoints', id, row }];
  });
}

/** Takes away, with what waits for them, those that an earlier start was told of and this one is not. */
export function endpointExpulsion({ urls }: ConfiguredEndpoints, tables: Tables): Change[] {
  const beyond = FIRST + BigInt(new Set(urls).size);
  const gone = tables.webhook_endpoints
    .list()
    .filter(({ id }) => OURS.test(id) && BigInt(id.slice(3)) >= beyond);
  return gone.flatMap(({ id }) => [
    ...tables.webhook_deliveries
      .list('endpoint_id', id)
      .map((delivery) => removal('webhook_deliveries', delivery.id)),
    removal('webhook_endpoints', id),
  ]);
}

const removal = (collection: string, id: string): Change => ({ collection, id, row: null });

/** Now, or until its secret was rotated. */
const signsWith = ({ secret, old_secrets = [] }: Endpoint, wanted: string) =>
  [secret, ...old_secrets.map((old) => old.secret)].includes(wanted);
