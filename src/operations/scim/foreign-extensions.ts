import type { Rows } from '../../state/schema.ts';
import type { Resource } from '../../scim/attributes.ts';
import { ENTERPRISE_USER, USER } from '../../scim/schemas.ts';
import { isObject } from '../../text/json.ts';

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

export const foreignIn = (sent: Readonly<Record<string, unknown>>): ForeignExtensions =>
  Object.fromEntries(
    Object.entries(sent).filter(
      (pair): pair is [string, Resource] => isForeign(pair[0]) && isObject(pair[1]),
    ),
  );

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
  let foreign = known;
  const kept = operations.flatMap((operation) => {
    const { verb, path, value } = readOperation(operation);
    if (verb === undefined) return [operation];
    if (path !== undefined) {
      if (!isForeign(path)) return [operation];
      foreign = applied(foreign, verb, path, value);
      return [];
    }
    if (!isObject(value)) return [operation];
    const others = Object.entries(value).filter(([name]) => !isForeign(name));
    for (const [name, each] of Object.entries(value))
      if (isForeign(name)) foreign = applied(foreign, verb, name, each);
    const isWhole = others.length === Object.keys(value).length;
    return isWhole ? [operation] : others.length > 0 ? [{ op: verb, value: Object.fromEntries(others) }] : [];
  });
  return { foreign, operations: kept };
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

/** A path is the URN of an extension, or that and the name of an attribute behind a colon. */
function applied(known: ForeignExtensions, verb: string, path: string, value: unknown): ForeignExtensions {
  const isWhole = verb === 'remove' ? Object.hasOwn(known, path) : isObject(value);
  const urn = isWhole ? path : path.slice(0, path.lastIndexOf(':'));
  const name = isWhole ? undefined : path.slice(urn.length + 1);
  const before: Resource = Object.hasOwn(known, urn) ? known[urn]! : {};
  const after = { ...(name === undefined && verb !== 'add' ? {} : before) };
  const news = name === undefined ? Object.entries(isObject(value) ? value : {}) : [[name, value] as const];
  const changes = verb === 'remove' ? news.map(([each]) => [each, null] as const) : news;
  const members = [...Object.entries(after), ...changes];
  const merged = Object.fromEntries(members);
  const filled = Object.entries(merged).filter(([, each]) => each !== null && each !== undefined);
  const others = Object.entries(known).filter(([each]) => each !== urn);
  return Object.fromEntries(
    filled.length === 0 ? others : [...others, [urn, Object.fromEntries(filled) as Resource]],
  );
}
