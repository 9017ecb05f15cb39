import { isObject, type Attribute, type Resource, type ResourceType } from './attributes.ts';
import { comparisonsIn, type Filter } from './filter.ts';
import { valueMatcher } from './matching.ts';
import { resolvePath, type Target } from './path.ts';
import { quoted, refusal } from './refusal.ts';
import { complete, filled, isKept, isPrimary, readItem, readValue, refuseTooMany } from './values.ts';

const MOST_OPERATIONS = 1000;
/**
 * Values that the operations of one call may compare. A group of 10000 members counts 10000 for each operation, times the
 * comparisons of a filter in its path.
 */
const MOST_VISITS = 500_000;
/** Members that one joined operation adds or removes. */
const MOST_JOINED = 10_000;

/**
 * The resource after the operations (RFC 7644 3.5.2), all of them or, if one throws, none. Takes what identity providers
 * send: operations with capital letters, values without a path, dotted names in them, and JSON in texts.
 */
export function patched(type: ResourceType, resource: Resource, operations: readonly unknown[]): Resource {
  refuseManyOperations(operations);
  const patch = new Patch(type, resource);
  for (const operation of joined(operations.map(readOperation))) patch.apply(operation);
  return complete(type, patch.resource);
}

export function refuseManyOperations({ length }: readonly unknown[]): void {
  if (length > MOST_OPERATIONS)
    throw refusal('invalidValue', `${length} operations; at most ${MOST_OPERATIONS} are taken`);
}

type Verb = 'add' | 'replace' | 'remove';

interface Operation {
  verb: Verb;
  path: string | undefined;
  value: unknown;
}

function readOperation(sent: unknown, index: number): Operation {
  const at = `Operations[${index}]`;
  if (!isObject(sent)) throw refusal('invalidSyntax', `${at}: an object expected`);
  const members = new Map(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]));
  const [op, path] = [members.get('op'), members.get('path') ?? undefined];
  const verb = typeof op === 'string' ? op.toLowerCase() : '';
  if (verb !== 'add' && verb !== 'replace' && verb !== 'remove')
    throw refusal('invalidSyntax', `${at}.op: add, replace or remove expected`);
  if (path !== undefined && typeof path !== 'string')
    throw refusal('invalidPath', `${at}.path: a text expected`);
  if (verb === 'remove' && !path) throw refusal('noTarget', `${at}.path: remove needs a path`);
  if (verb !== 'remove' && !members.has('value'))
    throw refusal('invalidValue', `${at}.value: ${verb} needs a value`);
  return { verb, path: path === '' ? undefined : path, value: members.get('value') };
}

/**
 * Operations that add members one after another, or remove them, become one, because each reads the whole group. Okta and
 * Entra ID send one for each member.
 */
function joined(operations: readonly Operation[]): Operation[] {
  const kept: (Operation & { members?: unknown[] })[] = [];
  for (const operation of operations) {
    const members = membersIn(operation);
    const last = kept.at(-1);
    if (
      members &&
      last?.members &&
      last.verb === operation.verb &&
      last.members.length + members.length <= MOST_JOINED
    )
      last.members.push(...members);
    else kept.push(members ? { verb: operation.verb, path: 'members', value: members, members } : operation);
  }
  return kept;
}

const ONE_MEMBER = /^members\[\s*value eq ("[^"\\]*")\s*\]$/i;

/** A copy of the members that an operation adds or removes; undefined if it does something else. */
function membersIn({ verb, path, value }: Operation): unknown[] | undefined {
  if (verb === 'replace' || path === undefined) return undefined;
  const [, one] = (verb === 'remove' && ONE_MEMBER.exec(path)) || [];
  if (one !== undefined) return [{ value: one.slice(1, -1) }];
  if (path.toLowerCase() !== 'members') return undefined;
  if (isObject(value)) return [value];
  return Array.isArray(value) && value.length <= MOST_JOINED ? [...(value as unknown[])] : undefined;
}

/** Changes copies: values of the resource before stay as they are. */
class Patch {
  resource: Resource;
  readonly #type: ResourceType;
  #visits = MOST_VISITS;

  constructor(type: ResourceType, resource: Resource) {
    this.#type = type;
    this.resource = { ...resource };
  }

  apply({ verb, path, value }: Operation): void {
    if (path === undefined) this.#merge(verb, objectIn(value));
    else this.#change(resolvePath(this.#type, path), verb, value);
  }

  /** Without a path, the members of the value are paths. Those that cannot be changed are left out, as Okta sends the id. */
  #merge(verb: Verb, members: Resource, prefix = ''): void {
    for (const [path, value] of Object.entries(members)) {
      const extension = prefix === '' ? this.#type.extension(path) : undefined;
      if (extension && isObject(value)) this.#merge(verb, value, `${extension.id}:`);
      else this.#mergeMember(verb, `${prefix}${path}`, value);
    }
  }

  #mergeMember(verb: Verb, path: string, value: unknown): void {
    const target = this.#knownTarget(path);
    if (target?.attribute && isKept(target.attribute)) this.#change(target, verb, value);
  }

  /** Unverified (scim/unknown-names): a name that no schema has is left out, as in a resource. */
  #knownTarget(path: string): Target | undefined {
    try {
      return resolvePath(this.#type, path);
    } catch {
      return undefined;
    }
  }

  #change(target: Target, verb: Verb, value: unknown): void {
    const { extension, attribute } = target;
    if (!attribute) {
      if (verb === 'remove') delete this.resource[extension!.id];
      else this.#merge(verb, objectIn(value), `${extension!.id}:`);
      return;
    }
    for (const each of [attribute, target.sub])
      if (each && (each.mutability === 'readOnly' || (each !== attribute && each.mutability === 'immutable')))
        throw refusal('mutability', `${each.name} cannot be changed`);
    if (!isKept(attribute)) return;
    const holder = extension ? { ...(this.resource[extension.id] as Resource | undefined) } : this.resource;
    const next = this.#next(attribute, target, { verb, value, now: holder[attribute.name] });
    if (next === undefined) delete holder[attribute.name];
    else holder[attribute.name] = next;
    if (extension) this.resource[extension.id] = holder;
  }

  #next(attribute: Attribute, { filter, sub }: Target, { verb, value, now }: Step): unknown {
    const isRemoval = verb === 'remove' || value === null;
    if (attribute.multiValued) {
      const values = (now ?? []) as Resource[];
      this.#visit(values.length * (filter ? comparisonsIn(filter) : 1));
      const next = filter
        ? this.#nextOfSome(attribute, { filter, sub, values, value, isRemoval })
        : sub
          ? values.map((each) => withPart(each, sub, isRemoval ? undefined : value))
          : nextValues(attribute, { verb, value, values });
      refuseTooMany(attribute, next?.length ?? 0);
      return next?.length ? next : undefined;
    }
    if (filter) throw refusal('invalidPath', `${attribute.name} has one value, so a path takes no filter`);
    if (sub) return filled(withPart((now ?? {}) as Resource, sub, isRemoval ? undefined : value));
    if (isRemoval) return undefined;
    const read = readValue(attribute, value);
    if (!attribute.sub) return read;
    return filled({ ...(now as Resource | undefined), ...(read as Resource | undefined) });
  }

  #nextOfSome(attribute: Attribute, { filter, sub, values, value, isRemoval }: SomeStep): Resource[] {
    const matches = valueMatcher(attribute.sub!, filter);
    if (isRemoval && !sub) return values.filter((each) => !matches(each));
    const change = (each: Resource): Resource =>
      sub
        ? withPart(each, sub, isRemoval ? undefined : value)
        : { ...each, ...(readItem(attribute, value) as Resource) };
    const changed = new Set<Resource>();
    const next = values.map((each) => {
      if (!matches(each)) return each;
      const after = change(each);
      changed.add(after);
      return after;
    });
    if (changed.size === 0 && !isRemoval) {
      // Entra ID sets `emails[type eq "work"].value` of a user who has no such address yet.
      const added = change(seedOf(attribute, filter));
      return onePrimary([...values, added], new Set([added]));
    }
    return onePrimary(next, changed);
  }

  #visit(count: number): void {
    this.#visits -= count;
    if (this.#visits < 0)
      throw refusal(
        'tooMany',
        `the operations look at more than ${MOST_VISITS} values; send fewer in a call`,
      );
  }
}

interface Step {
  verb: Verb;
  value: unknown;
  now: unknown;
}

interface SomeStep {
  filter: Filter;
  sub: Attribute | undefined;
  values: readonly Resource[];
  value: unknown;
  isRemoval: boolean;
}

/** Some clients write the object as a text. */
function objectIn(value: unknown): Resource {
  const read = typeof value === 'string' ? parsed(value) : value;
  if (isObject(read)) return read;
  throw refusal('invalidValue', 'without a path, the value must be an object with the members to change');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withPart(value: Resource, part: Attribute, sent: unknown): Resource {
  const { [part.name]: _, ...rest } = value;
  const read = readValue(part, sent);
  return read === undefined ? rest : { ...rest, [part.name]: read };
}

function nextValues(
  attribute: Attribute,
  { verb, value, values }: { verb: Verb; value: unknown; values: readonly Resource[] },
): readonly Resource[] | undefined {
  if (value === undefined || value === null) return undefined;
  const sent = (readValue(attribute, value) ?? []) as Resource[];
  if (verb === 'replace') return distinct(attribute, sent);
  if (verb === 'remove') return without(attribute, values, sent);
  const fresh = distinct(attribute, [...values, ...sent]).slice(values.length);
  return onePrimary([...values, ...fresh], new Set(fresh));
}

/** What tells two values apart: for members their id, otherwise everything but the name to show. */
function keyOf({ name }: Attribute, value: Resource): unknown {
  if (name === 'members') return value['value'];
  const { display: _, $ref: __, ...rest } = value;
  return JSON.stringify(Object.entries(rest).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function distinct(attribute: Attribute, values: readonly Resource[]): Resource[] {
  const seen = new Map<unknown, Resource>();
  for (const [index, value] of values.entries()) {
    const key = keyOf(attribute, value) ?? index;
    if (!seen.has(key)) seen.set(key, value);
  }
  return [...seen.values()];
}

/** Entra ID removes members by a list of their ids instead of a filter. */
function without(attribute: Attribute, values: readonly Resource[], gone: readonly Resource[]): Resource[] {
  const keys = new Set(gone.map((value) => keyOf(attribute, value)));
  const ids = new Set(gone.filter((value) => Object.keys(value).length === 1).map(({ value }) => value));
  ids.delete(undefined);
  return values.filter((value) => !keys.has(keyOf(attribute, value)) && !ids.has(value['value']));
}

/** A value that becomes the primary one takes this from the others (RFC 7644 3.5.2). */
function onePrimary(values: readonly Resource[], changed: ReadonlySet<Resource>): Resource[] {
  if (![...changed].some(isPrimary)) return [...values];
  return values.map((value) =>
    isPrimary(value) && !changed.has(value) ? { ...value, primary: false } : value,
  );
}

/** A value that fits the filter. Throws `noTarget` if more than one value would. */
function seedOf(attribute: Attribute, filter: Filter): Resource {
  if (filter.kind === 'and')
    return Object.assign({}, ...filter.parts.map((part) => seedOf(attribute, part))) as Resource;
  const part =
    filter.kind === 'compare' && filter.comparison === 'eq' ? attribute.sub?.find(filter.path) : undefined;
  if (!part || filter.kind !== 'compare')
    throw refusal('noTarget', `${quoted(attribute.name)} has no value that fits the filter of the path`);
  const value = readValue(part, filter.value);
  return value === undefined ? {} : { [part.name]: value };
}
