import type { Attribute, Attributes, ResourceType, Schema } from './attributes.ts';
import { parseFilter, type Filter } from './filter.ts';
import { quoted, refusal, ScimRefusal, type ScimType } from './refusal.ts';

/** What a path names (RFC 7644 3.10, 3.5.2). */
export interface Target {
  /** The extension whose member it is; absent: the resource's own. */
  readonly extension?: Schema | undefined;
  /** Absent: the whole extension. */
  readonly attribute?: Attribute | undefined;
  /** `emails[type eq "work"]`: only these values of the attribute. */
  readonly filter?: Filter | undefined;
  readonly sub?: Attribute | undefined;
}

const LONGEST = 4000;
const PATH = /^([A-Za-z$][\w$-]*)(?:\[(.*)\])?(?:\.([A-Za-z$][\w$-]*))?$/s;

type PathProblem = Extract<ScimType, 'invalidPath' | 'invalidFilter' | 'invalidValue'>;

/** Throws a refusal of the given type, or `invalidPath`. */
export function resolvePath(type: ResourceType, path: string, problem: PathProblem = 'invalidPath'): Target {
  const isShort = path.length <= LONGEST;
  const { extension: named, rest } = isShort ? withoutUrn(type, path) : { extension: undefined, rest: '' };
  if (named && rest === '') return { extension: named };
  const [, name, filter, sub] = PATH.exec(rest) ?? [];
  if (name === undefined) throw refusal(problem, `${quoted(path)} is no path of an attribute`);
  const extension = named ?? extensionWith(type, name);
  const among = extension?.attributes ?? type.attributes;
  const attribute = attributeOf(among, name, problem);
  return {
    extension,
    attribute,
    ...(filter !== undefined && { filter: filterOf(filter, path) }),
    ...(sub !== undefined && { sub: subAttributeOf(attribute, sub, problem) }),
  };
}

/** The path without the URN of its schema. Names may have colons, so the known URNs are tried. */
function withoutUrn(type: ResourceType, path: string): { extension: Schema | undefined; rest: string } {
  const lower = path.toLowerCase();
  for (const schema of [type.core, ...type.extensions]) {
    const urn = schema.id.toLowerCase();
    if (lower !== urn && !lower.startsWith(`${urn}:`)) continue;
    const extension = schema === type.core ? undefined : schema;
    return { extension, rest: path.slice(urn.length + 1) };
  }
  return { extension: undefined, rest: path };
}

/** Entra ID writes `manager eq "…"` without the URN of its schema. */
const extensionWith = (type: ResourceType, name: string): Schema | undefined =>
  type.attributes.find(name) ? undefined : type.extensions.find(({ attributes }) => attributes.find(name));

/** A filter in a path is a part of the path. */
function filterOf(written: string, path: string): Filter {
  try {
    return parseFilter(written);
  } catch (thrown) {
    throw refusal('invalidPath', `${quoted(path)}: ${(thrown as Error).message}`);
  }
}

export function attributeOf(among: Attributes, name: string, problem: PathProblem): Attribute {
  const attribute = among.find(name);
  if (attribute) return attribute;
  const unknown = { name: quoted(name), known: among.all.map((each) => each.name) };
  throw new ScimRefusal(problem, `there is no attribute ${unknown.name}`, unknown);
}

export function subAttributeOf({ name, sub }: Attribute, wanted: string, problem: PathProblem): Attribute {
  if (!sub) throw refusal(problem, `${name} has no parts, so there is no ${name}.${quoted(wanted)}`);
  return attributeOf(sub, wanted, problem);
}
