import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { canMeet, globTest, REST, unnamed } from '../text/glob.ts';
import { suggest } from '../text/suggestion.ts';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';

/** `on` as it is written. */
export type On = string | string[] | { method?: string; path?: string };

/** The operations that a rule listens to, every binding of them, and the path where it is no template: `*` is any text. */
export interface Target {
  readonly operations: readonly Operation[];
  readonly path?: string;
}

/** Complains of names, globs and paths that match nothing. */
export function findTarget(
  on: On,
  at: Path,
  operations: readonly Operation[],
  complaints: Complaints,
): Target {
  if (typeof on === 'string') return { operations: named(on, at, operations, complaints) };
  if (!Array.isArray(on)) return routed(on, at, operations, complaints);
  const found = on.flatMap((name, index) => named(name, [...at, index], operations, complaints));
  return { operations: [...new Set(found)] };
}

function named(
  name: string,
  at: Path,
  operations: readonly Operation[],
  complaints: Complaints,
): Operation[] {
  const glob = globTest(name);
  // What is sent has a dot in its name, and nothing else has: `*` is every call, and no webhook.
  const alike = operations.filter(({ id }) => id.includes('.') === name.includes('.'));
  const found = alike.filter(({ id, base }) => glob(base) || glob(id));
  if (found.length > 0) return found;
  const names = () => alike.map(({ base }) => base);
  if (name.includes('*')) complaints.add(at, `no operation matches ${name}`);
  else complaints.add(at, () => `unknown operation ${name}${suggest(name, names())}`);
  return found;
}

function routed(
  { method, path }: { method?: string; path?: string },
  at: Path,
  known: readonly Operation[],
  complaints: Complaints,
): Target {
  const operations = known.filter(({ sent }) => !sent);
  const there = path === undefined ? operations : operations.filter((operation) => isAt(path, operation));
  const found = there.filter((operation) => method === undefined || operation.method === method);
  if (there.length === 0) {
    const paths = () => operations.map((operation) => operation.path);
    complaints.add([...at, 'path'], () => `no operation has the path ${path}${suggest(path!, paths())}`);
  } else if (found.length === 0) {
    const methods = new Set(there.map((operation) => operation.method));
    complaints.add(
      [...at, 'method'],
      `no operation at this path has ${method}, there is ${[...methods].join(', ')}`,
    );
  }
  return path === undefined || isTemplate(path) ? { operations: found } : { operations: found, path };
}

const isTemplate = (path: string) => path.includes('{');

const isAt = (path: string, operation: Operation) =>
  isTemplate(path)
    ? unnamed(path) === unnamed(operation.path)
    : canMeet(path, operation.open ? operation.path.replace(/\{[^}]*\}$/, REST) : operation.path);

/** Finds the targets of the rules of one scenario: many rules have the same. */
export class Targets {
  /** What others call, and what the service sends of itself. */
  readonly #operations: readonly Operation[];
  readonly #known = new Map<string, Target>();

  constructor({ operations, messages }: Contract) {
    this.#operations = [...operations, ...messages];
  }

  /** Complains each time of one that matches nothing. */
  find(on: On, at: Path, complaints: Complaints): Target {
    const key = JSON.stringify(on);
    const known = this.#known.get(key);
    if (known) return known;
    const target = findTarget(on, at, this.#operations, complaints);
    if (complaints.isClean(at)) this.#known.set(key, target);
    return target;
  }
}
