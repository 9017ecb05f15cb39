import { isObject, type Attribute, type Attributes, type Resource, type ResourceType } from './attributes.ts';
import { quoted, refusal } from './refusal.ts';

/** Values of one attribute. A group may have more members. */
const MOST_VALUES = 100;
const MOST_MEMBERS = 20_000;
/** Characters of a resource as JSON, without its members. */
const LARGEST = 100_000;

/** The members of the schemas in what a caller sent, without read-only ones. Throws `invalidValue`. */
export function readSchemas(type: ResourceType, sent: Readonly<Record<string, unknown>>): Resource {
  const resource = readMembers(type.attributes, sent);
  for (const [name, members] of Object.entries(sent)) {
    const extension = type.extension(name);
    if (extension && isObject(members)) resource[extension.id] = readMembers(extension.attributes, members);
  }
  return resource;
}

/**
 * The value of an attribute, undefined for none. Takes what identity providers send: booleans as texts, numbers
 * for texts, one value instead of a list, a list of one instead of a value, and a text instead of `{"value": text}`.
 */
export function readValue(attribute: Attribute, sent: unknown): unknown {
  if (sent === null || sent === undefined) return undefined;
  if (attribute.multiValued) return readValues(attribute, Array.isArray(sent) ? (sent as unknown[]) : [sent]);
  return readItem(attribute, sent);
}

/** One value of an attribute, also of one with several. */
export const readItem = (attribute: Attribute, sent: unknown): unknown =>
  readOne(attribute, Array.isArray(sent) && sent.length === 1 ? (sent as unknown[])[0] : sent);

function readValues(attribute: Attribute, sent: readonly unknown[]): unknown[] | undefined {
  refuseTooMany(attribute, sent.length);
  const values = sent.map((each) => readOne(attribute, each)).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : values;
}

export function refuseTooMany({ name }: Attribute, count: number): void {
  const most = name === 'members' ? MOST_MEMBERS : MOST_VALUES;
  if (count > most) throw refusal('invalidValue', `${name}: ${count} values; there may be at most ${most}`);
}

function readOne(attribute: Attribute, sent: unknown): unknown {
  if (sent === null) return undefined;
  const { name, type, sub } = attribute;
  if (sub) {
    if (isObject(sent)) return filled(readMembers(sub, sent));
    if (typeof sent === 'string' && sub.find('value')) return filled(readMembers(sub, { value: sent }));
    throw refusal('invalidValue', `${name}: an object expected, not ${nounOf(sent)}`);
  }
  if (type === 'boolean' && typeof sent === 'string' && /^(true|false)$/i.test(sent))
    return sent.toLowerCase() === 'true';
  if (type === 'string' && typeof sent === 'number') return readOne(attribute, String(sent));
  if (attribute.format === 'email' && sent === '') return undefined;
  if (!isOfType(type, sent)) throw refusal('invalidValue', `${name}: ${type} expected, not ${nounOf(sent)}`);
  if (attribute.format === 'email' && !EMAIL.test(sent as string))
    throw refusal('invalidValue', `emails: ${quoted(JSON.stringify(sent))} is no e-mail address`).decidedBy(
      'scim/address-form',
    );
  return sent;
}

/** Unverified (scim/address-form): RFC 7643 says only that the value should be an address. */
const EMAIL = /^[^\s@<>"]+@[^\s@<>"]+$/;
const BASE64 = /^[\w+/-]*={0,2}$/;

function isOfType(type: Attribute['type'], sent: unknown): boolean {
  switch (type) {
    case 'boolean':
      return typeof sent === 'boolean';
    case 'integer':
      return Number.isInteger(sent);
    case 'decimal':
      return typeof sent === 'number';
    case 'dateTime':
      return typeof sent === 'string' && !Number.isNaN(Date.parse(sent));
    case 'binary':
      return typeof sent === 'string' && BASE64.test(sent.replaceAll(/\s/g, ''));
    default:
      return typeof sent === 'string';
  }
}

const nounOf = (sent: unknown): string => (Array.isArray(sent) ? 'a list' : `a value of type ${typeof sent}`);

function readMembers(attributes: Attributes, sent: Readonly<Record<string, unknown>>): Resource {
  const read: Resource = {};
  for (const [name, value] of Object.entries(sent)) {
    const attribute = attributes.find(name);
    if (!attribute || !isKept(attribute)) continue;
    const kept = readValue(attribute, value);
    if (kept !== undefined) read[attribute.name] = kept;
  }
  return read;
}

/** What the service knows itself is not read, and a password is not kept. */
export const isKept = ({ mutability }: Attribute): boolean =>
  mutability !== 'readOnly' && mutability !== 'writeOnly';

/** Undefined for an object without members. */
export const filled = (value: Resource): Resource | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

/** The resource with its schemas. Throws `invalidValue` if a required member is missing or an attribute has too much. */
export function complete(type: ResourceType, read: Resource): Resource {
  const { schemas: _, ...resource } = read;
  const schemas = [type.core.id];
  for (const { id } of type.extensions) {
    if (resource[id] === undefined) continue;
    if (filled(resource[id] as Resource)) schemas.push(id);
    else delete resource[id];
  }
  for (const attribute of type.core.attributes.all) checkAttribute(attribute, resource[attribute.name]);
  return { schemas, ...resource };
}

/** Filters read whole resources, and a caller can add to one again and again. */
export function refuseLarge({ members: _, ...rest }: Resource): void {
  if (JSON.stringify(rest).length > LARGEST)
    throw refusal('invalidValue', `the resource is larger than ${LARGEST} characters`);
}

function checkAttribute(attribute: Attribute, value: unknown): void {
  const { name, required } = attribute;
  if (required && (value === undefined || value === '')) throw refusal('invalidValue', `${name} is required`);
  if (!Array.isArray(value)) return;
  refuseTooMany(attribute, value.length);
  const primaries = attribute.sub?.find('primary') && value.filter((each) => isPrimary(each as Resource));
  if (primaries && primaries.length > 1)
    throw refusal('invalidValue', `${name}: ${primaries.length} values are primary; one may be`);
}

export const isPrimary = (value: Resource): boolean => value['primary'] === true;
