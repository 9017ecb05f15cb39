import { formatComplaint, ScenarioError, type Complaint } from './scenario-error.ts';

export type Path = readonly (string | number)[];

/** Where in its text a member of a scenario stands: its name, or its value. */
export type Locate = (path: Path, part: 'key' | 'value') => { line: number; column: number };

/** Of what came without a text. */
export const NOWHERE: Locate = () => ({ line: 0, column: 0 });

/** Where the value of a parameter was given, from outside of the text that has the parameter. */
export interface Giver {
  complaints: Complaints;
  path: Path;
}

/** Everything that is wrong with one text, and with those that it includes. */
export class Complaints {
  readonly #file: string;
  readonly #locate: Locate;
  readonly #root: Path;
  readonly #all: { path: Path; complaint: Complaint }[] = [];
  readonly #included: Complaints[] = [];
  readonly #adopted: Complaint[] = [];
  readonly #open: Path[] = [];
  /** Texts that are filled when a rule is applied or an edit is made, by the path of each member that they stand in. */
  readonly #templates = new Map<string, Path[]>();
  readonly #leftOut = new Set<string>();
  readonly #filled = new Map<string, string>();
  readonly #givers = new Map<string, Giver>();
  /** Places with mistakes that were told where they were given. */
  readonly #passedOn: Path[] = [];

  /** `root`: where in the text that stands which is looked at; paths are told from there. */
  constructor(file: string, locate: Locate, root: Path = []) {
    this.#file = file;
    this.#locate = locate;
    this.#root = root;
  }

  /** Of another text, told after those of this one. */
  included(file: string, locate: Locate): Complaints {
    const complaints = new Complaints(file, locate);
    this.#included.push(complaints);
    return complaints;
  }

  /** What is wrong with a text that could not even be read. */
  adopt(complaints: readonly Complaint[]): void {
    this.#adopted.push(...complaints);
  }

  add(path: Path, message: string, part: 'key' | 'value' = 'value'): void {
    if (!this.#dependsOnOpen(path)) this.#add(path, message, part);
  }

  /** Of what the text itself asks for. */
  addToTemplate(path: Path, message: string): void {
    this.#add(path, message, 'value');
  }

  #add(path: Path, message: string, part: 'key' | 'value'): void {
    const parameter = this.#filled.get(formatPath(path));
    const giver = parameter === undefined ? undefined : this.#givers.get(parameter);
    if (giver) {
      this.#passedOn.push(path);
      giver.complaints.add(giver.path, `${message} (as ${this.placeOf(path)})`);
      return;
    }
    const whole = [...this.#root, ...path];
    const said = parameter === undefined ? message : `${message} (the parameter ${parameter})`;
    const place = this.#locate(whole, part);
    this.#all.push({
      path,
      complaint: { file: this.#file, ...place, path: formatPath(whole), message: said },
    });
  }

  /** Such as `invite-expired.yaml:7:7: state.memberships[0]`. */
  placeOf(path: Path): string {
    const whole = [...this.#root, ...path];
    return formatComplaint({
      file: this.#file,
      ...this.#locate(whole, 'value'),
      path: formatPath(whole),
      message: '',
    });
  }

  /** Nobody knows yet what will stand there: nothing is said of it. */
  leaveOpen(path: Path): void {
    this.#open.push(path);
  }

  isOpen(path: Path): boolean {
    return this.#open.some((open) => isWithin(path, open));
  }

  /** Only the call, or the row, says what will stand there: the value is not looked at before. */
  noteTemplate(path: Path): void {
    for (let length = 0; length <= path.length; length += 1) {
      const upper = path.slice(0, length);
      const known = this.#templates.get(formatPath(upper));
      if (known) known.push(path);
      else this.#templates.set(formatPath(upper), [path]);
    }
  }

  /** The paths of such texts below a path, from there. */
  templatesIn(path: Path): Path[] {
    return (this.#templates.get(formatPath(path)) ?? []).map((each) => each.slice(path.length));
  }

  /** The values of the parameters say that it is no part of the scenario. */
  leaveOut(path: Path): void {
    this.#leftOut.add(formatPath(path));
  }

  isLeftOut(path: Path): boolean {
    return this.#leftOut.has(formatPath(path));
  }

  /** What stands there came from a parameter. */
  noteFilled(path: Path, parameter: string): void {
    this.#filled.set(formatPath(path), parameter);
  }

  /** What is wrong with what stands there for this parameter is told where its value was given. */
  noteGiver(parameter: string, giver: Giver): void {
    this.#givers.set(parameter, giver);
  }

  /** Whether nothing at this path or below it is wrong so far, and all of it is known. */
  isClean(path: Path): boolean {
    const isBelow = (other: Path) => isWithin(other, path);
    const mistaken = [...this.#all.map((each) => each.path), ...this.#passedOn];
    return !this.isOpen(path) && !this.#open.some(isBelow) && !mistaken.some(isBelow);
  }

  throwIfAny(): void {
    const complaints = this.#sorted();
    if (complaints.length > 0) throw new ScenarioError(complaints);
  }

  #sorted(): Complaint[] {
    const own = this.#all.map(({ complaint }) => complaint);
    return [
      ...own.toSorted((a, b) => a.line - b.line || a.column - b.column),
      ...this.#included.flatMap((each) => each.#sorted()),
      ...this.#adopted,
    ];
  }

  /** A body is judged as a whole, all others member by member. */
  #dependsOnOpen(path: Path): boolean {
    if (this.isOpen(path)) return true;
    const templates = this.#templates.get(formatPath(path)) ?? [];
    if (path.at(-1) !== 'body') return templates.some(({ length }) => length === path.length);
    return templates.length > 0 || this.#open.some((open) => isWithin(open, path));
  }
}

const isWithin = (path: Path, upper: Path) => upper.every((step, index) => path[index] === step);

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
