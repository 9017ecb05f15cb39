import type { Credentials } from './credentials.ts';
import { DEFAULT_ENVIRONMENT } from './environment-names.ts';
import { Generator } from './ids.ts';

/** Credentials of other environments than `default` contain the name, so that a call finds its environment. */
export function namedCredentials(name: string, seed: number): Credentials {
  const secret = new Generator(`credentials ${seed} ${name}`).text(32);
  return { client_id: `skc_${name}_1000000000000000001`, client_secret: `test_${name}_${secret}` };
}

/** The environment in a client's id or secret, or `default`. */
export function environmentOfClient(idOrSecret: string): string {
  const [, named] =
    /^(?:skc|m2morg|m2m)_([a-z0-9-]{1,40})_\d+$/.exec(idOrSecret) ??
    /^test_([a-z0-9-]{1,40})_[A-Za-z0-9]{32,}$/.exec(idOrSecret) ??
    [];
  return named ?? DEFAULT_ENVIRONMENT;
}
