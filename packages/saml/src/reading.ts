import { DOMParser } from '@xmldom/xmldom';
import { DEEPEST_ELEMENT, LARGEST_MESSAGE, LONGEST_TAG, MOST_ELEMENTS, MOST_NAMES } from './limits.ts';
import { NAMESPACES } from './names.ts';
import { SamlRefusal } from './refusal.ts';

type Prefix = keyof typeof NAMESPACES;

const broken = (check: 'xml' | 'size', problem: string, expected: string, received: string) =>
  new SamlRefusal({ check, problem, expected, received, error: 'malformed_saml_response' });

/**
 * The root of a document. It is measured before it is parsed, so that a hostile one costs little. Messages with comments
 * or instructions are refused: readers disagree about a text around a comment, and no provider sends them.
 */
export function parseXml(xml: string, { comments = false } = {}): Element {
  measure(xml, comments);
  const refuse = (message: string) => {
    throw broken('xml', 'the document is not well formed', 'XML', withoutPosition(message));
  };
  const parser = new DOMParser({
    errorHandler: { warning: refuse, error: refuse, fatalError: refuse },
  });
  const document = parser.parseFromString(xml, 'text/xml') as Document | undefined;
  const root = document?.documentElement;
  if (!root) throw broken('xml', 'the document has no element', 'one element', xml.trim());
  return root;
}

/** The parser's messages end with the place as `@#[line:…]`. */
const withoutPosition = (message: string) =>
  message.replace(/^\[xmldom \w+\]\s*/, '').replace(/\n@#/, ' at ');

/** Refuses a document that is too large, too deep, or has a document type, entities, or parts that messages do not have. */
function measure(xml: string, comments: boolean): void {
  const size = Buffer.byteLength(xml);
  if (size > LARGEST_MESSAGE)
    throw broken('size', 'the document is too large', `at most ${LARGEST_MESSAGE} bytes`, `${size} bytes`);
  refuseForbiddenCharacters(xml);
  let [depth, elements] = [0, 0];
  const names = new Set<string>();
  for (let at = xml.indexOf('<'); at !== -1;) {
    const end = tagEnd(xml, at, comments);
    if (xml[at + 1] === '/') depth -= 1;
    else if (!'!?'.includes(xml[at + 1]!)) {
      elements += 1;
      names.add(nameAt(xml, at + 1));
      if (xml[end - 2] !== '/') depth += 1;
    }
    if (names.size > MOST_NAMES)
      throw broken(
        'size',
        'the elements have too many different names',
        `at most ${MOST_NAMES} names`,
        'more',
      );
    if (elements > MOST_ELEMENTS)
      throw broken('size', 'the document has too many elements', `at most ${MOST_ELEMENTS}`, 'more');
    if (depth > DEEPEST_ELEMENT)
      throw broken('size', 'the elements are nested too deep', `at most ${DEEPEST_ELEMENT} levels`, 'more');
    at = xml.indexOf('<', end);
  }
}

/** What no document may have (XML 2.2). The parser takes such characters, some of them as white space. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
const REFERENCE = /&#(?:x([\da-f]+)|(\d+));/gi;

function refuseForbiddenCharacters(xml: string): void {
  const refuse = (received: string) =>
    broken('xml', 'the document has a character that XML does not allow', 'characters of XML 1.0', received);
  const [found] = FORBIDDEN.exec(xml) ?? [];
  if (found !== undefined) throw refuse(`U+${found.codePointAt(0)!.toString(16).padStart(4, '0')}`);
  for (const [written, hex = '', decimal] of xml.matchAll(REFERENCE)) {
    const code = decimal === undefined ? parseInt(hex, 16) : Number(decimal);
    if (code > 0x10ffff || FORBIDDEN.test(String.fromCodePoint(code))) throw refuse(written);
  }
}

const NAME = /[^\s/>]*/y;

function nameAt(xml: string, at: number): string {
  NAME.lastIndex = at;
  return NAME.exec(xml)?.[0] ?? '';
}

/** Where the tag that begins at `at` is over. */
function tagEnd(xml: string, at: number, comments: boolean): number {
  if (xml.startsWith('<?xml ', at) && at === 0) return closing(xml, at, '?>');
  if (xml[at + 1] === '!' || xml[at + 1] === '?') {
    if (comments && xml.startsWith('<!--', at)) return closing(xml, at + 4, '-->');
    throw broken(
      'xml',
      'the document has a part that is not allowed',
      'elements and text',
      xml.slice(at, at + 40),
    );
  }
  let quote: string | undefined;
  for (let here = at + 1; here < xml.length && here - at <= LONGEST_TAG; here += 1) {
    const character = xml[here]!;
    if (quote === undefined && character === '>') return here + 1;
    if (quote === undefined && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = undefined;
  }
  throw broken(
    'xml',
    'a tag does not end',
    `a tag of at most ${LONGEST_TAG} characters`,
    xml.slice(at, at + 40),
  );
}

function closing(xml: string, from: number, mark: string): number {
  const at = xml.indexOf(mark, from);
  if (at === -1) throw broken('xml', 'the document is not well formed', mark, 'the end of the document');
  return at + mark.length;
}

/** Child elements with this name. */
export function childrenOf(parent: Element, prefix: Prefix, name: string): Element[] {
  const found: Element[] = [];
  for (let child = parent.firstChild; child; child = child.nextSibling)
    if (isElement(child) && child.namespaceURI === NAMESPACES[prefix] && child.localName === name)
      found.push(child);
  return found;
}

export const isElement = (node: Node): node is Element => node.nodeType === 1;

/** The only child element with this name. Two of them are refused, because readers would choose different ones. */
export function childOf(parent: Element, prefix: Prefix, name: string): Element | undefined {
  const [first, second] = childrenOf(parent, prefix, name);
  if (second) throw broken('xml', `${parent.localName} has more than one ${name}`, `one ${name}`, 'more');
  return first;
}

/** The text of an element that has nothing but text. */
export function textOf(parent: Element): string {
  for (let child = parent.firstChild; child; child = child.nextSibling)
    if (child.nodeType !== 3 && child.nodeType !== 4)
      throw broken('xml', `${parent.localName} has more than text`, 'text', `<${child.nodeName}>`);
  return (parent.textContent ?? '').trim();
}

/** The value of an attribute; undefined if it is absent or empty. */
export const attributeOf = (parent: Element, name: string): string | undefined =>
  parent.getAttribute(name) || undefined;

/** Every element of the document below this one, and itself. */
export function* allElements(root: Element): Generator<Element> {
  yield root;
  for (let child = root.firstChild; child; child = child.nextSibling)
    if (isElement(child)) yield* allElements(child);
}

export const isNamed = (found: Element, prefix: Prefix, name: string): boolean =>
  found.namespaceURI === NAMESPACES[prefix] && found.localName === name;
