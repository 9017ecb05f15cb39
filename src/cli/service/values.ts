import { UsageError } from '../explain.ts';

const PAIR = /^([^=]+)=(.*)$/s;

/** `path=value` as a pair. Throws UsageError for any other text. */
export function pairIn(text: string): [name: string, value: string] {
  const [, name, value] = PAIR.exec(text) ?? [];
  if (name === undefined && /^[{[]/.test(text)) throw new UsageError(`${text} is not JSON`);
  if (name === undefined) throw new UsageError(`${text} has no value: write ${text}=VALUE`);
  return [name, value!];
}

/** JSON if the text is JSON, such as `5`, `true`, `null` or `{"a":1}`; otherwise the text itself. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** An object of `path=value` texts; dots in the path lead into nested objects: `settings.color=red`. */
export function objectOf(texts: readonly string[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [path, value] of texts.map(pairIn)) setAt(object, path.split('.'), readValue(value));
  return object;
}

function setAt(object: Record<string, unknown>, [name, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    Object.defineProperty(object, name!, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  const inner = Object.hasOwn(object, name!) ? object[name!] : undefined;
  const member = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  setAt(object, [name!], member);
  setAt(member, rest, value);
}
