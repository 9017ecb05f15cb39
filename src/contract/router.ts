import { ApiError, invalidArgument } from './errors.ts';
import type { Operation } from './compiled.ts';

export interface Route {
  operation: Operation;
  /** Path parameters, decoded. */
  params: Record<string, string>;
  /** Why decoding failed. The operation is known, so its callers can be checked. */
  rejection?: ApiError;
}

interface Node {
  literals: Map<string, Node>;
  /** `{id}:verb`, by `:verb`. */
  verbs: Map<string, Node>;
  variable?: Node;
  /** Matches the rest of the path. */
  rest?: Node;
  operations: Map<string, Destination>;
}

/** An operation and the names of its path variables, in order. */
interface Destination {
  operation: Operation;
  names: readonly string[];
}

const node = (): Node => ({ literals: new Map(), verbs: new Map(), operations: new Map() });

/**
 * Finds an operation by the segments of the path; the cost does not depend on the number of operations. A literal
 * wins over a variable with a verb, which wins over a plain variable.
 */
export class Router {
  readonly #root = node();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) this.#add(operation);
  }

  /** Throws `route_not_found` for an unknown path, `method_not_allowed` for an unknown method. */
  route(method: string, path: string): Route {
    const verb = method === 'HEAD' ? 'GET' : method;
    const segments = split(path);
    const search: Search = { segments, verb, values: [], allowed: [] };
    const route = find(this.#root, search);
    if (route) return route;
    const { allowed } = search;
    // If nothing else matches, a trailing slash is an empty variable, which the contract then refuses.
    const isUnnamed = allowed.length === 0 && path.endsWith('/');
    const unnamed = isUnnamed ? find(this.#root, { ...search, segments: [...segments, ''] }) : undefined;
    if (unnamed) return unnamed;
    if (allowed.length === 0) throw new ApiError('route_not_found', `no operation has the path ${path}`);
    const allow = [...new Set(allowed)].toSorted().join(', ');
    throw new ApiError('method_not_allowed', `${path} has no ${method}, it has ${allow}`, {
      headers: { allow },
    });
  }

  #add(operation: Operation): void {
    let at = this.#root;
    const segments = split(operation.path);
    for (const [index, segment] of segments.entries()) {
      const [, verb] = /^\{[^}]+\}(:.+)?$/.exec(segment) ?? [];
      if (!segment.startsWith('{')) at = grow(at.literals, segment);
      else if (verb) at = grow(at.verbs, verb);
      else if (operation.open && index === segments.length - 1) at = at.rest ??= node();
      else at = at.variable ??= node();
    }
    const names = operation.path.match(/(?<=\{)[^}]+(?=\})/g) ?? [];
    at.operations.set(operation.method, { operation, names });
  }
}

function grow(children: Map<string, Node>, key: string): Node {
  const child = children.get(key) ?? node();
  children.set(key, child);
  return child;
}

/** Segments of a path; one trailing slash is ignored. */
function split(path: string): string[] {
  const start = path.startsWith('/') ? 1 : 0;
  const end = path.length > start && path.endsWith('/') ? path.length - 1 : path.length;
  return path.slice(start, end).split('/');
}

interface Search {
  segments: readonly string[];
  verb: string;
  /** Variables found so far. */
  values: string[];
  /** Methods of the path's operations, if none has the wanted method. */
  allowed: string[];
}

function find(at: Node, search: Search, depth = 0): Route | undefined {
  const { segments } = search;
  const segment = segments[depth];
  if (segment === undefined) return arrive(at, search);
  const { literals, verbs, variable, rest } = at;
  const isGap = segment === '' && depth < segments.length - 1;
  const literal = literals.get(segment);
  const colon = segment.lastIndexOf(':');
  const verb = colon > 0 ? verbs.get(segment.slice(colon)) : undefined;
  return (
    (literal && find(literal, search, depth + 1)) ??
    (verb && findWith(segment.slice(0, colon), verb, search, depth + 1)) ??
    (variable && !isGap ? findWith(segment, variable, search, depth + 1) : undefined) ??
    (rest && findRest(rest, search, depth))
  );
}

function findRest(rest: Node, search: Search, depth: number): Route | undefined {
  const { segments } = search;
  const value = segments.slice(depth).join('/');
  return value ? findWith(value, rest, search, segments.length) : undefined;
}

/** Tries to match with one more value; removes the value if that fails. */
function findWith(value: string, at: Node, search: Search, depth: number): Route | undefined {
  search.values.push(value);
  const route = find(at, search, depth);
  if (!route) search.values.pop();
  return route;
}

function arrive({ operations }: Node, { verb, values, allowed }: Search): Route | undefined {
  const found = operations.get(verb);
  if (found) return routeTo(found, values);
  allowed.push(...operations.keys());
  return undefined;
}

function routeTo({ operation, names }: Destination, values: readonly string[]): Route {
  try {
    return { operation, params: named(names, values.map(decodeURIComponent)) };
  } catch {
    const rejection = invalidArgument(`malformed percent-encoding in the path: ${values.join('/')}`);
    return { operation, params: named(names, values), rejection };
  }
}

function named(names: readonly string[], values: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) params[name] = values[index]!;
  return params;
}
