import { isObject, type Attributes, type Resource, type ResourceType } from './attributes.ts';

/** Which attributes an answer has (RFC 7644 3.9). */
export interface Projection {
  attributes?: string | readonly string[] | undefined;
  excludedAttributes?: string | readonly string[] | undefined;
}

/** The name of an attribute, or of a part of one, below a schema. */
interface Named {
  /** In lower case; empty: the core schema. */
  urn: string;
  name: string;
  sub: string | undefined;
}

/** The resource with the wanted attributes only. Unknown names are left out, and `id` and `schemas` are always there. */
export function projected(type: ResourceType, resource: Resource, wanted: Projection): Resource {
  const { attributes, excludedAttributes } = wanted;
  if (!attributes?.length && !excludedAttributes?.length) return resource;
  const included = attributes?.length ? namesIn(type, attributes) : undefined;
  const excluded = namesIn(type, excludedAttributes ?? []);
  const isCore = ({ urn }: Named) => urn === '' || urn === type.core.id.toLowerCase();
  const kept = pick(type.attributes, resource, included?.filter(isCore), excluded.filter(isCore));
  for (const { id, attributes: members } of type.extensions) {
    const held = resource[id];
    const isOf = ({ urn }: Named) => urn === id.toLowerCase();
    const [asked, refused] = [included?.filter(isOf), excluded.filter(isOf)];
    if (!isObject(held) || asked?.length === 0 || refused.some(({ name }) => name === '')) continue;
    const isWhole = asked?.some(({ name }) => name === '');
    const part = pick(members, held, isWhole ? undefined : asked, refused);
    if (Object.keys(part).length > 0) kept[id] = part;
  }
  return kept;
}

function namesIn(type: ResourceType, written: string | readonly string[]): Named[] {
  const paths = typeof written === 'string' ? written.split(',') : written;
  const urns = [type.core, ...type.extensions].map(({ id }) => id.toLowerCase());
  return paths.map((path) => {
    const lower = path.trim().toLowerCase();
    const urn = urns.find((each) => lower === each || lower.startsWith(`${each}:`)) ?? '';
    const [name = '', sub] = lower.slice(urn === '' ? 0 : urn.length + 1).split('.');
    return { urn, name, sub };
  });
}

function pick(
  members: Attributes,
  holder: Resource,
  included: readonly Named[] | undefined,
  excluded: readonly Named[],
): Resource {
  const kept: Resource = {};
  for (const [key, value] of Object.entries(holder)) {
    const attribute = members.find(key);
    if (!attribute) continue;
    const isNamed = ({ name }: Named) => name === key.toLowerCase();
    const [asked, refused] = [included?.filter(isNamed), excluded.filter(isNamed)];
    if (attribute.returned === 'always') kept[key] = value;
    else if (asked?.length !== 0 && !refused.some(({ sub }) => sub === undefined))
      kept[key] = withParts(value, asked, refused);
  }
  return kept;
}

function withParts(value: unknown, asked: readonly Named[] | undefined, refused: readonly Named[]): unknown {
  const isPartly = asked && asked.every(({ sub }) => sub !== undefined);
  const wanted = isPartly ? new Set(asked.map(({ sub }) => sub)) : undefined;
  const unwanted = new Set(refused.map(({ sub }) => sub));
  if (!wanted && unwanted.size === 0) return value;
  const cut = (each: unknown) =>
    isObject(each)
      ? Object.fromEntries(
          Object.entries(each).filter(([name]) => {
            const lower = name.toLowerCase();
            return (!wanted || wanted.has(lower)) && !unwanted.has(lower);
          }),
        )
      : each;
  return Array.isArray(value) ? value.map(cut) : cut(value);
}
