import type { Change } from '../store/change-log.ts';
import type { Tables } from './env.ts';
import { DEFAULT_ENVIRONMENT } from './environment-names.ts';
import { Generator } from './ids.ts';

export interface Credentials {
  client_id: string;
  client_secret: string;
}

const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** The changes that add the environment's own client; empty if the client and its secret exist. */
export function credentialsToAdd(
  { client_id: id, client_secret: secret }: Credentials,
  { clients }: Tables,
): Change[] {
  const known = clients.find(id);
  if (known?.secrets.some((each) => each.secret === secret)) return [];
  const secrets = [
    ...(known?.secrets ?? []),
    { id: 'sec_10000000000000001', secret, create_time: CREATED_AT },
  ];
  const row = {
    name: 'Understudy',
    create_time: CREATED_AT,
    scopes: [],
    ...known,
    id,
    update_time: CREATED_AT,
    secrets,
  };
  return [{ collection: 'clients', id, row }];
}

/** Removes the secret. The client stays because rows may refer to it. */
export function credentialsToRemove(
  { client_id: id, client_secret }: Credentials,
  { clients }: Tables,
): Change[] {
  const known = clients.find(id);
  if (!known) return [];
  const secrets = known.secrets.filter(({ secret }) => secret !== client_secret);
  return [{ collection: 'clients', id, row: { ...known, secrets } }];
}

interface CredentialsOrigin {
  seed: number;
  /** How many environments had the name before; undefined: none. */
  generation?: number | undefined;
}

/** Credentials of other environments than `default` contain the name, so that a call finds its environment. */
export function namedCredentials(name: string, { seed, generation }: CredentialsOrigin): Credentials {
  const secret = new Generator(`credentials ${seed} ${name}`, generation).text(32);
  return { client_id: `skc_${name}_1000000000000000001`, client_secret: `test_${name}_${secret}` };
}

/** The environment in a client's id or secret, or `default`. */
export function environmentOfClient(idOrSecret: string): string {
  const [, named] =
    /^(?:skc|webc|spac|ntvc|m2morg|m2m)_([a-z0-9-]{1,40})_\d+$/.exec(idOrSecret) ??
    /^test_([a-z0-9-]{1,40})_[A-Za-z0-9]{32,}$/.exec(idOrSecret) ??
    [];
  return named ?? DEFAULT_ENVIRONMENT;
}
