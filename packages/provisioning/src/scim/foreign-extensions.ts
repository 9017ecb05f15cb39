import type { Rows } from '@understudy/core/state/env';
import type { Resource } from '@understudy/scim/attributes';
import { ENTERPRISE_USER, USER } from '@understudy/scim/schemas';
import { isObject } from '@understudy/text/json';

/**
 * Extensions of a user that the service does not announce, by their URN. They are kept as the provider sent them, in
 * `raw_attributes`. SCIM does not give them back, because the answer could name no schema of `/Schemas` (RFC 7643 3.3).
 */
export type ForeignExtensions = Readonly<Record<string, Resource>>;

const OWN = [USER.core, ENTERPRISE_USER].map(({ id }) => id.toLowerCase());

/** Whether the path begins with the URN of a schema that is not ours. */
const isForeign = (path: string): boolean => {
  const lower = path.toLowerCase();
  return lower.startsWith('urn:') && !OWN.some((urn) => lower === urn || lower.startsWith(`${urn}:`));
};

/** Those of a resource. A name may also be that of an attribute, with its URN. */
export function foreignIn(sent: Readonly<Record<string, unknown>>): ForeignExtensions {
  const read = new ForeignPatch({});
  for (const [name, value] of Object.entries(sent)) if (isForeign(name)) read.apply('add', name, value);
  return read.result();
}

export function foreignOf({ detail }: Rows['directory_users']): ForeignExtensions {
  const raw = detail?.['raw_attributes'];
  return isObject(raw) ? foreignIn(raw) : {};
}

interface SplitPatch {
  foreign: ForeignExtensions;
  /** Those of attributes that the service knows. */
  operations: unknown[];
}

/** Applies the operations of a PATCH that are about foreign extensions. Entra ID sends custom attributes so. */
export function patchForeign(known: ForeignExtensions, operations: readonly unknown[]): SplitPatch {
  const patch = new ForeignPatch(known);
  const kept = operations.flatMap((operation) => {
    const { verb, path, value } = readOperation(operation);
    if (verb === undefined) return [operation];
    if (path !== undefined) {
      if (!isForeign(path)) return [operation];
      patch.apply(verb, path, value);
      return [];
    }
    if (!isObject(value)) return [operation];
    const others = Object.entries(value).filter(([name]) => !isForeign(name));
    for (const [name, each] of Object.entries(value)) if (isForeign(name)) patch.apply(verb, name, each);
    const isWhole = others.length === Object.keys(value).length;
    return isWhole ? [operation] : others.length > 0 ? [{ op: verb, value: Object.fromEntries(others) }] : [];
  });
  return { foreign: patch.result(), operations: kept };
}

/** The verb is undefined for what is no operation: the reader of all others says what is wrong. */
function readOperation(operation: unknown) {
  if (!isObject(operation)) return { verb: undefined };
  const members = new Map(Object.entries(operation).map(([name, value]) => [name.toLowerCase(), value]));
  const op = members.get('op');
  const verb = typeof op === 'string' ? op.toLowerCase() : '';
  const path = members.get('path');
  return {
    verb: ['add', 'replace', 'remove'].includes(verb) ? verb : undefined,
    path: typeof path === 'string' && path !== '' ? path : undefined,
    value: members.get('value'),
  };
}

/** Changes copies in place: an operation costs what it says, however much the extensions have. */
class ForeignPatch {
  readonly #extensions: Map<string, Map<string, unknown>>;

  constructor(known: ForeignExtensions) {
    this.#extensions = new Map(
      Object.entries(known).map(([urn, members]) => [urn, new Map(Object.entries(members))]),
    );
  }

  /** A path is the URN of an extension, or that and the name of an attribute behind a colon. */
  apply(verb: string, path: string, value: unknown): void {
    const isWhole = verb === 'remove' ? this.#extensions.has(path) : isObject(value);
    if (!isWhole) {
      const colon = path.lastIndexOf(':');
      this.#set(path.slice(0, colon), path.slice(colon + 1), verb === 'remove' ? undefined : value);
      return;
    }
    if (verb !== 'add') this.#extensions.delete(path);
    if (verb === 'remove' || !isObject(value)) return;
    for (const [name, each] of Object.entries(value)) this.#set(path, name, each);
  }

  #set(urn: string, name: string, value: unknown): void {
    const members = this.#extensions.get(urn) ?? new Map<string, unknown>();
    if (value === null || value === undefined) members.delete(name);
    else members.set(name, value);
    if (members.size > 0) this.#extensions.set(urn, members);
    else this.#extensions.delete(urn);
  }

  result(): ForeignExtensions {
    return Object.fromEntries(
      [...this.#extensions].map(([urn, members]) => [urn, Object.fromEntries(members) as Resource]),
    );
  }
}
