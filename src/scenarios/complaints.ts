import { ScenarioError, type Complaint } from './scenario-error.ts';

export type Path = readonly (string | number)[];

/** Where in its text a member of a scenario stands: its name, or its value. */
export type Locate = (path: Path, part: 'key' | 'value') => { line: number; column: number };

/** Everything that is wrong with one scenario. */
export class Complaints {
  readonly #file: string;
  readonly #locate: Locate;
  readonly #all: { path: Path; complaint: Complaint }[] = [];

  constructor(file: string, locate: Locate) {
    this.#file = file;
    this.#locate = locate;
  }

  add(path: Path, message: string, part: 'key' | 'value' = 'value'): void {
    const complaint = { file: this.#file, ...this.#locate(path, part), path: formatPath(path), message };
    this.#all.push({ path, complaint });
  }

  /** Whether nothing at this path or below it is wrong so far. */
  isClean(path: Path): boolean {
    return !this.#all.some((each) => path.every((step, index) => each.path[index] === step));
  }

  throwIfAny(): void {
    if (this.#all.length === 0) return;
    const complaints = this.#all.map(({ complaint }) => complaint);
    throw new ScenarioError(complaints.toSorted((a, b) => a.line - b.line || a.column - b.column));
  }
}

/** `rules[0].when.path`. */
export const formatPath = (path: Path) =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');

/** The steps of a JSON pointer into a value: numbers where the value has lists. */
export function readPointer(pointer: string, value: unknown): Path {
  let at = value;
  return pointer
    .split('/')
    .slice(1)
    .map((escaped) => {
      const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(at) ? Number(name) : name;
      at = typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[step] : undefined;
      return step;
    });
}
