import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { canMeet, globTest, REST, unnamed } from '@understudy/text/glob';
import { shortened, suggest } from '@understudy/text/suggestion';
import { nearestByWords } from '@understudy/text/word-search';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';

/** `on` as the scenario file has it. */
export type On = string | string[] | { method?: string; path?: string };

/**
 * The operations that a rule listens to, with all their paths. `path`: a concrete path, where `*` matches any text.
 */
export interface Target {
  readonly operations: readonly Operation[];
  readonly path?: string;
}

/** The operations that a rule listens to, their contract, and the contract of the rows. */
export interface RuleContracts {
  readonly operations: readonly Operation[];
  readonly contract: Contract;
  readonly control: Contract;
}

/** Complains of names, globs and paths that match nothing. */
export function findTarget(
  on: On,
  at: Path,
  operations: readonly Operation[],
  complaints: Complaints,
): Target {
  if (typeof on === 'string') return { operations: operationsNamed(on, at, operations, complaints) };
  if (!Array.isArray(on)) return operationsAt(on, at, operations, complaints);
  const found = on.flatMap((name, index) => operationsNamed(name, [...at, index], operations, complaints));
  return { operations: [...new Set(found)] };
}

function operationsNamed(
  name: string,
  at: Path,
  operations: readonly Operation[],
  complaints: Complaints,
): Operation[] {
  const glob = globTest(name);
  // Names of webhooks and interceptors have a dot, others do not: `*` matches every call, but no webhook.
  const alike = operations.filter(({ id }) => id.includes('.') === name.includes('.'));
  const found = alike.filter(({ id, base }) => glob(base) || glob(id));
  if (found.length > 0) return found;
  const hint = () => {
    const near = nearestByWords(
      name,
      alike.map(({ base }) => base),
    );
    return near === undefined ? '' : `; did you mean ${near}?`;
  };
  if (name.includes('*')) complaints.add(at, `no operation matches ${name}`);
  else complaints.add(at, () => `unknown operation ${shortened(name)}${hint()}`);
  return found;
}

function operationsAt(
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
      `no operation at this path has ${method}, only ${[...methods].join(', ')}`,
    );
  }
  return path === undefined || isTemplate(path) ? { operations: found } : { operations: found, path };
}

const isTemplate = (path: string) => path.includes('{');

const isAt = (path: string, operation: Operation) =>
  isTemplate(path)
    ? unnamed(path) === unnamed(operation.path)
    : canMeet(path, operation.open ? operation.path.replace(/\{[^}]*\}$/, REST) : operation.path);

/** Caches targets, because many rules of a scenario have the same. */
export class Targets {
  /** Operations of the service, and messages that it sends. */
  readonly #operations: readonly Operation[];
  readonly #known = new Map<string, Target>();

  constructor({ operations, messages }: Contract) {
    this.#operations = [...operations, ...messages];
  }

  /** Complains each time if nothing matches. */
  find(on: On, at: Path, complaints: Complaints): Target {
    const key = JSON.stringify(on);
    const known = this.#known.get(key);
    if (known) return known;
    const target = findTarget(on, at, this.#operations, complaints);
    if (complaints.isClean(at)) this.#known.set(key, target);
    return target;
  }
}
