import { isObject } from '../json-object.ts';
import type { Complaints, Path } from './complaints.ts';
import { ABSENT, OPEN } from './params.ts';
import { suggest } from './suggestion.ts';

/** An escaped one, one with its name, or one that goes wrong. */
const PLACEHOLDER = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;
const WHOLE = /^\$\{([^{}]*)\}$/;

/**
 * Puts values into the placeholders of a value. `${name}` alone becomes the value as it is, inside a text it becomes
 * text, `$${` means `${`. Complains of names that have no value.
 */
export class Filling {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #complaints: Complaints;
  readonly #used = new Set<string>();

  constructor(values: ReadonlyMap<string, unknown>, complaints: Complaints) {
    this.#values = values;
    this.#complaints = complaints;
  }

  fill(value: unknown, path: Path): unknown {
    if (typeof value === 'string') return value.includes('${') ? this.#fillText(value, path) : value;
    if (Array.isArray(value)) return value.map((each, index) => this.#fillElement(each, [...path, index]));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, member]) => [name, this.fill(member, [...path, name])]);
    return Object.fromEntries(members.filter(([, member]) => member !== ABSENT));
  }

  /** Those that no placeholder has named. */
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
    const name = WHOLE.exec(text)?.[1];
    if (name !== undefined) return this.#whole(name.trim(), text, path);
    return text.replace(PLACEHOLDER, (found, inner: string | undefined) => {
      if (found === '$${') return '${';
      if (inner !== undefined) return this.#part(inner.trim(), found, path);
      this.#complaints.add(path, 'a placeholder is written ${name}, and the text ${ itself $${');
      return found;
    });
  }

  #whole(name: string, text: string, path: Path): unknown {
    const value = this.#valueOf(name, path);
    if (value === OPEN) return text;
    this.#complaints.noteFilled(path, name);
    return value;
  }

  #part(name: string, text: string, path: Path): string {
    const value = this.#valueOf(name, path);
    if (value === OPEN) return text;
    if (value === ABSENT || typeof value === 'object') {
      const reason = value === ABSENT ? 'has no value' : `is an ${Array.isArray(value) ? 'array' : 'object'}`;
      this.#complaints.add(path, `the parameter ${name} ${reason}, and can't stand inside a text`);
      return text;
    }
    return typeof value === 'string' ? value : JSON.stringify(value);
  }

  #valueOf(name: string, path: Path): unknown {
    this.#used.add(name);
    if (!this.#values.has(name)) {
      const known = [...this.#values.keys()];
      const hint = known.length === 0 ? '; the scenario has no params' : suggest(name, known);
      this.#complaints.add(path, `unknown placeholder \${${name}}${hint}`);
    }
    const value = this.#values.has(name) ? this.#values.get(name) : OPEN;
    if (value === OPEN) this.#complaints.leaveOpen(path);
    return value;
  }
}
