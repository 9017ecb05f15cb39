import { NAMESPACES } from './names.ts';

type Prefix = keyof typeof NAMESPACES;
type ElementName = `${Prefix}:${string}`;
type Attributes = Readonly<Record<string, string | undefined>>;
/** Missing children are left out. Texts are escaped. */
type Child = XmlElement | string | false | undefined;

/** An element to write. Its text is canonical, so that a signature needs no other form of it. */
export interface XmlElement {
  readonly name: ElementName;
  readonly attributes: Attributes;
  readonly children: readonly Child[];
}

export const element = (
  name: ElementName,
  attributes: Attributes,
  ...children: readonly Child[]
): XmlElement => ({ name, attributes, children });

/**
 * The text of an element in the form of exclusive canonicalization: each namespace where it is first used, attributes in
 * order, no empty tags.
 */
export function xmlText(
  { name, attributes, children }: XmlElement,
  declared: readonly Prefix[] = [],
): string {
  const prefix = name.slice(0, name.indexOf(':')) as Prefix;
  const isNew = !declared.includes(prefix);
  const scope = isNew ? [...declared, prefix] : declared;
  const namespace = isNew ? ` xmlns:${prefix}="${NAMESPACES[prefix]}"` : '';
  const written = Object.entries(attributes)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ` ${key}="${inAttribute(value)}"`);
  const content = children.map((child) => childText(child, scope));
  return `<${name}${namespace}${written.join('')}>${content.join('')}</${name}>`;
}

function childText(child: Child, scope: readonly Prefix[]): string {
  if (child === undefined || child === false) return '';
  return typeof child === 'string' ? inText(child) : xmlText(child, scope);
}

/** Characters that XML 1.0 cannot hold, also not as references. */
// oxlint-disable-next-line no-control-regex
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

const allowed = (text: string) => text.replace(NOT_XML, '\ufffd');

const inText = (text: string) =>
  allowed(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#xD;');

const inAttribute = (text: string) =>
  allowed(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\t', '&#x9;')
    .replaceAll('\n', '&#xA;')
    .replaceAll('\r', '&#xD;');

/** A time as SAML writes it. */
export const samlTime = (ms: number): string => new Date(ms).toISOString();
