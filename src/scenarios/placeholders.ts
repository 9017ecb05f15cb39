import { isObject } from '@understudy/text/json';
import { shortened, suggest } from '@understudy/text/suggestion';
import { CALL_PARTS, readValueName, type ValueName } from './call-facts.ts';
import type { Complaints } from './complaints.ts';
import { ABSENT, OPEN } from './params.ts';
import type { Path } from './path.ts';

/** An escaped placeholder, a named one, or a broken one. */
const PLACEHOLDER = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;
const WHOLE = /^\$\{([^{}]*)\}$/;

/** Skips most values quickly. */
const isPlain = (value: unknown) =>
  typeof value === 'string' ? !value.includes('${') : typeof value !== 'object' || value === null;

/**
 * Replaces the placeholders in a value. `${name}` alone becomes the parameter's value, inside a text it becomes text,
 * and `$${` becomes `${`. Complains of unknown names.
 */
export class PlaceholderFilling {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #complaints: Complaints;
  readonly #used = new Set<string>();
  /** Inside a part that is left out, ABSENT counts as OPEN. */
  #isInLeftOutPart = false;
  readonly #unfolded: FilledSize;

  constructor(values: ReadonlyMap<string, unknown>, complaints: Complaints) {
    this.#values = values;
    this.#complaints = complaints;
    this.#unfolded = new FilledSize(values, complaints);
  }

  fill(value: unknown, path: Path): unknown {
    if (typeof value === 'string') return value.includes('${') ? this.#fillText(value, path) : value;
    if (Array.isArray(value))
      return value.map((each, index) => (isPlain(each) ? each : this.#fillElement(each, [...path, index])));
    if (!isObject(value)) return value;
    return isConditional(path) && this.#leavesOut(value, path)
      ? this.#fillLeftOut(value, path)
      : this.#fillMembers(value, path);
  }

  #fillMembers(value: Record<string, unknown>, path: Path): unknown {
    const filled: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      const inner = isPlain(member) ? member : this.fill(member, [...path, name]);
      if (inner !== ABSENT) filled.push([name, inner]);
    }
    return Object.fromEntries(filled);
  }

  /** Checked as well, so that mistakes are reported for all parameter values. */
  #fillLeftOut(value: Record<string, unknown>, path: Path): unknown {
    this.#complaints.leaveOut(path);
    this.#isInLeftOutPart = true;
    const filled = this.#fillMembers(value, path);
    this.#isInLeftOutPart = false;
    return filled;
  }

  #leavesOut({ if_given, unless_given }: Record<string, unknown>, path: Path): boolean {
    const wanted = this.#areGiven(if_given, [...path, 'if_given']);
    const unwanted = this.#areGiven(unless_given, [...path, 'unless_given']);
    return wanted.includes(false) || unwanted.includes(true);
  }

  /** Whether each of these parameters has a value. */
  #areGiven(names: unknown, path: Path): boolean[] {
    const list = Array.isArray(names) ? names : names === undefined ? [] : [names];
    return list
      .filter((name) => typeof name === 'string')
      .map((name) => {
        this.#used.add(name);
        if (!this.#values.has(name))
          this.#complaints.add(path, `unknown parameter ${shortened(name)}${this.#nearest(name)}`);
        return this.#values.get(name) !== ABSENT;
      });
  }

  /** Parameters without any placeholder. */
  unused(): string[] {
    return [...this.#values.keys()].filter((name) => !this.#used.has(name));
  }

  #fillElement(element: unknown, path: Path): unknown {
    const filled = this.fill(element, path);
    if (filled !== ABSENT) return filled;
    this.#complaints.add(
      path,
      'an optional parameter without a value can leave out a member, not an element',
    );
    return null;
  }

  #fillText(text: string, path: Path): unknown {
    if (text.split('${', MAX_PLACEHOLDERS + 2).length > MAX_PLACEHOLDERS + 1) {
      this.#complaints.add(path, `a text must have at most ${MAX_PLACEHOLDERS} placeholders`);
      this.#complaints.giveUp();
    }
    if (this.#isTemplate(text, path)) return this.#fillTemplate(text, path);
    const name = WHOLE.exec(text)?.[1];
    if (name !== undefined) return this.#valueAt(name.trim(), text, path);
    return text.replace(PLACEHOLDER, (found, inner: string | undefined) => {
      if (found === '$${') return '${';
      if (inner !== undefined) return this.#textOf(inner.trim(), found, path);
      return this.#misspelt(found, path);
    });
  }

  /** Whether the text refers to values of a call or a row. */
  #isTemplate(text: string, path: Path): boolean {
    for (const [, inner] of text.matchAll(PLACEHOLDER)) {
      const name = readValueName(inner ?? '');
      if (name) return takesValue(name, path);
    }
    return false;
  }

  /** Fills in parameters only; values of calls and rows follow later. */
  #fillTemplate(text: string, path: Path): string {
    this.#complaints.noteTemplate(path);
    return text.replace(PLACEHOLDER, (found, inner: string | undefined) => {
      if (found === '$${') return found;
      if (inner === undefined) return this.#misspelt(found, path);
      return readValueName(inner) ? found : escapePlaceholders(this.#textOf(inner.trim(), found, path));
    });
  }

  #misspelt(found: string, path: Path): string {
    this.#complaints.add(path, 'write a placeholder as ${name}, and the text ${ as $${');
    return found;
  }

  #valueAt(name: string, text: string, path: Path): unknown {
    const value = this.#valueOf(name, path);
    if (value === OPEN) return text;
    this.#complaints.noteFilled(path, name);
    return value;
  }

  #textOf(name: string, text: string, path: Path): string {
    const value = this.#valueOf(name, path);
    if (value === OPEN) return text;
    if (value === ABSENT || typeof value === 'object') {
      const reason = value === ABSENT ? 'has no value' : `is an ${Array.isArray(value) ? 'array' : 'object'}`;
      this.#complaints.add(path, `the parameter ${name} ${reason}, and can't stand inside a text`);
      return text;
    }
    return typeof value === 'string' ? value : JSON.stringify(value);
  }

  #hint(name: string): string {
    const known = [...this.#values.keys()];
    return known.length === 0 ? '; the scenario has no params' : suggest(name, known);
  }

  #valueOf(name: string, path: Path): unknown {
    this.#used.add(name);
    if (!this.#values.has(name)) {
      const misplaced = readValueName(name) && MISPLACED;
      this.#complaints.add(
        path,
        () => `unknown placeholder \${${shortened(name)}}${misplaced ?? this.#hint(name)}`,
      );
    }
    const known = this.#values.has(name) ? this.#values.get(name) : OPEN;
    const value = known === ABSENT && this.#isInLeftOutPart ? OPEN : known;
    if (value === OPEN) this.#complaints.leaveOpen(path);
    else this.#unfolded.note(name, path);
    return value;
  }

  #nearest(name: string): string {
    return suggest(name, [...this.#values.keys()]);
  }
}

const escapePlaceholders = (text: string) => text.replaceAll('${', () => '$${');

/** The members of a reply that may refer to values of the call. */
const REPLY_MEMBERS: readonly unknown[] = ['message', 'headers', 'body', 'violations', 'tool'];

const MISPLACED = `; values of a call (${CALL_PARTS.join(', ')}) are for do, patch, and ${REPLY_MEMBERS.join(', ')} of reply; those of a row for an edit with for`;

/** Whether the text at this path may refer to that value. */
function takesValue({ part }: ValueName, path: Path): boolean {
  const [top, , member, inner] = path;
  if (top !== 'rules') return top === 'state' && part === 'row';
  if (part === 'row') return member === 'do';
  return member === 'do' || member === 'patch' || (member === 'reply' && REPLY_MEMBERS.includes(inner));
}

/** Whether the path is that of a rule or an edit. */
function isConditional(path: Path): boolean {
  const [top, , member] = path;
  if (typeof path.at(-1) !== 'number') return false;
  if (top === 'state') return path.length === 3;
  if (top !== 'rules') return false;
  return (
    path.length === 2 ||
    (member === 'do' && typeof path.at(-2) === 'string' && path.length > 4 && path.length < 7)
  );
}

/** In one text. */
const MAX_PLACEHOLDERS = 10_000;

/** The total length of all filled values, in characters. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Limits the size of the filled values, because a large value in many places could grow to millions of characters.
 */
class FilledSize {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #complaints: Complaints;
  /** Length as JSON, by parameter. */
  readonly #sizes = new Map<string, number>();
  #left = MAX_CHARACTERS;

  constructor(values: ReadonlyMap<string, unknown>, complaints: Complaints) {
    this.#values = values;
    this.#complaints = complaints;
  }

  /** Counts one more use of a parameter. Throws ScenarioError if the limit is exceeded. */
  note(name: string, path: Path): void {
    this.#left -= this.#sizeOf(name);
    if (this.#left >= 0) return;
    this.#complaints.add(path, `the placeholders expand to more than ${MAX_CHARACTERS} characters`);
    this.#complaints.giveUp();
  }

  #sizeOf(name: string): number {
    const known = this.#sizes.get(name);
    if (known !== undefined) return known;
    const value = this.#values.get(name);
    const size = typeof value === 'symbol' ? 0 : JSON.stringify(value ?? null).length;
    this.#sizes.set(name, size);
    return size;
  }
}
