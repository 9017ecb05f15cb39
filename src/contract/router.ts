import { ApiError, invalidArgument } from '../errors.ts';
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
    const allowed = new Set<string>();
    const verb = method === 'HEAD' ? 'GET' : method;
    const look = (segments: readonly string[]) => find(this.#root, { segments, verb, values: [], allowed });
    const segments = split(path);
    const route = look(segments);
    if (route) return route;
    // If nothing else matches, a trailing slash is an empty variable, which the contract then refuses.
    const unnamed = allowed.size === 0 && path.endsWith('/') ? look([...segments, '']) : undefined;
    if (unnamed) return unnamed;
    if (allowed.size === 0) throw new ApiError('route_not_found', `no operation has the path ${path}`);
    const allow = [...allowed].toSorted().join(', ');
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
const split = (path: string) => path.replace(/^\//, '').replace(/\/$/, '').split('/');

interface Search {
  segments: readonly string[];
  verb: string;
  /** Variables found so far. */
  values: string[];
  /** Methods of the path's operations, if none has the wanted method. */
  allowed: Set<string>;
}

function find(at: Node, search: Search, depth = 0): Route | undefined {
  const segment = search.segments[depth];
  if (segment === undefined) return arrive(at, search);
  const isGap = segment === '' && depth < search.segments.length - 1;
  const literal = at.literals.get(segment);
  const colon = segment.lastIndexOf(':');
  const verb = colon > 0 ? at.verbs.get(segment.slice(colon)) : undefined;
  return (
    (literal && find(literal, search, depth + 1)) ??
    (verb && given(search, segment.slice(0, colon), () => find(verb, search, depth + 1))) ??
    (isGap ? undefined : givenVariable(at, search, depth)) ??
    givenRest(at, search, depth)
  );
}

function givenVariable({ variable }: Node, search: Search, depth: number): Route | undefined {
  return variable && given(search, search.segments[depth]!, () => find(variable, search, depth + 1));
}

function givenRest({ rest }: Node, search: Search, depth: number): Route | undefined {
  const value = rest && search.segments.slice(depth).join('/');
  return value ? given(search, value, () => arrive(rest, search)) : undefined;
}

/** Tries to match with one more value; removes the value if that fails. */
function given(search: Search, value: string, look: () => Route | undefined): Route | undefined {
  search.values.push(value);
  const route = look();
  if (!route) search.values.pop();
  return route;
}

function arrive({ operations }: Node, { verb, values, allowed }: Search): Route | undefined {
  const found = operations.get(verb);
  if (found) return { operation: found.operation, ...decoded(found.names, values) };
  for (const known of operations.keys()) allowed.add(known);
  return undefined;
}

function decoded(names: readonly string[], values: readonly string[]): Omit<Route, 'operation'> {
  const named = (read: (value: string) => string) =>
    Object.fromEntries(names.map((name, index) => [name, read(values[index]!)]));
  try {
    return { params: named(decodeURIComponent) };
  } catch {
    const malformed = values.join('/');
    return {
      params: named((value) => value),
      rejection: invalidArgument(`malformed percent-encoding in the path: ${malformed}`),
    };
  }
}
