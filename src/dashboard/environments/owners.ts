import { useData, type Data } from '../data.ts';
import { control } from '../session.ts';

/** Names in one call. */
const PAGE = 1000;

/** The replica of each environment, by the name of the environment. */
export type Owners = ReadonlyMap<string, string>;

/** Undefined without several replicas: then one process has all environments. */
export function useOwners(...keys: unknown[]): Data<Owners | undefined> {
  return useData(readOwners, ['environment'], ...keys);
}

async function readOwners(): Promise<Owners | undefined> {
  const { replicas } = await control().replicas.list();
  if (replicas.length < 2) return undefined;
  const owned = replicas
    .filter(({ alive }) => alive)
    .map(async ({ id, address, self }) => {
      const called = `${address ?? id}${self ? ' (this one)' : ''}`;
      return (await namesOf(id)).map((name) => [name, called] as const);
    });
  return new Map((await Promise.all(owned)).flat());
}

async function namesOf(replica: string): Promise<string[]> {
  const names: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await control().replicas.environments(replica, {
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    names.push(...page.map(({ name }) => name));
    if (page.length < PAGE) return names;
    after = names.at(-1);
  }
}
