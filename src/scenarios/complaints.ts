import { formatPath, Touched, type Path } from './path.ts';

/** Where in its text a member of a scenario stands: its name, or its value. */
export type Locate = (path: Path, part: 'key' | 'value') => { line: number; column: number };

/** Of what came without a text. */
export const NOWHERE: Locate = () => ({ line: 0, column: 0 });

/** Where the value of a parameter was given, from outside of the text that has the parameter. */
export interface Giver {
  complaints: Complaints;
  path: Path;
}

/** A function is asked only where the message is told: a suggestion takes a while. */
export type Message = string | (() => string);

/** Everything that is wrong with one text, and with those that it includes. */
export class Complaints {
  readonly #file: string;
  readonly #locate: Locate;
  readonly #root: Path;
  readonly #listed: Complaint[] = [];
  #count = 0;
  readonly #included: Complaints[] = [];
  readonly #adopted: Complaint[] = [];
  readonly #open = new Touched();
  /** Texts that are filled when a rule is applied or an edit is made, by the path of each member that they stand in. */
  readonly #templates = new Map<string, Path[]>();
  readonly #leftOut = new Set<string>();
  readonly #filled = new Map<string, string>();
  readonly #givers = new Map<string, Giver>();
  /** Places with mistakes, those that were told where they were given too. */
  readonly #mistaken = new Touched();

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
  adopt({ complaints, untold }: ScenarioError): void {
    this.#adopted.push(...complaints);
    this.#count += complaints.length + untold;
  }

  /** Throws ScenarioError when there are so many that nobody needs more. */
  add(path: Path, message: Message, part: 'key' | 'value' = 'value'): void {
    if (!this.#dependsOnOpen(path)) this.#add(path, message, part);
  }

  /** Of what the text itself asks for. */
  addToTemplate(path: Path, message: Message): void {
    this.#add(path, message, 'value');
  }

  #add(path: Path, message: Message, part: 'key' | 'value'): void {
    this.#mistaken.add(path);
    const parameter = this.#filled.get(formatPath(path));
    const giver = parameter === undefined ? undefined : this.#givers.get(parameter);
    if (giver) {
      giver.complaints.add(giver.path, () => `${said(message)} (as ${this.placeOf(path)})`);
      return;
    }
    this.#count += 1;
    if (this.#listed.length < MOST_TOLD) this.#tell(path, said(message), parameter, part);
    if (this.#count >= ENOUGH) this.giveUp();
  }

  #tell(path: Path, message: string, parameter: string | undefined, part: 'key' | 'value'): void {
    const whole = [...this.#root, ...path];
    this.#listed.push({
      file: this.#file,
      ...this.#locate(whole, part),
      path: formatPath(whole),
      message: parameter === undefined ? message : `${message} (the parameter ${parameter})`,
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
    this.#open.add(path);
  }

  isOpen(path: Path): boolean {
    return this.#open.hasAbove(path);
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
    return !this.isOpen(path) && !this.#open.hasBelow(path) && !this.#mistaken.hasBelow(path);
  }

  throwIfAny(): void {
    if (this.#total() > 0) throw this.#error(false);
  }

  /** Throws ScenarioError with what was found so far. */
  giveUp(): never {
    throw this.#error(true);
  }

  /** A scenario that is included twice is wrong once. */
  #error(isPart: boolean): ScenarioError {
    const all = this.#sorted();
    const listed = new Map(all.map((complaint) => [formatComplaint(complaint), complaint]));
    return new ScenarioError([...listed.values()], this.#total() - all.length, isPart);
  }

  #sorted(): Complaint[] {
    return [
      ...this.#listed.toSorted((a, b) => a.line - b.line || a.column - b.column),
      ...this.#included.flatMap((each) => each.#sorted()),
      ...this.#adopted,
    ];
  }

  #total(): number {
    return this.#included.reduce((sum, each) => sum + each.#total(), this.#count);
  }

  /** A body is judged as a whole, all others member by member. */
  #dependsOnOpen(path: Path): boolean {
    if (this.isOpen(path)) return true;
    const templates = this.#templates.get(formatPath(path)) ?? [];
    if (path.at(-1) !== 'body') return templates.some(({ length }) => length === path.length);
    return templates.length > 0 || this.#open.hasBelow(path);
  }
}

const said = (message: Message) => (typeof message === 'string' ? message : message());

/** One mistake in a scenario. Line and column count from 1; 0 where the scenario came without a text. */
export interface Complaint {
  file: string;
  line: number;
  column: number;
  /** Such as `rules[0].reply.error`; empty for the text as a whole. */
  path: string;
  message: string;
}

/** How many complaints are told of one scenario; of more, only how many there are. */
export const MOST_TOLD = 50;

/** After so many complaints nothing else is looked at. */
export const ENOUGH = 1000;

/** A scenario that can't be used: every mistake in it, one a line. */
export class ScenarioError extends Error {
  readonly complaints: readonly Complaint[];
  /** How many complaints there are beside these. */
  readonly untold: number;

  /** `and 7 more complaints`; nothing when all are told. */
  readonly more: readonly string[];

  /** `isPart`: not all of the text was looked at. */
  constructor(complaints: readonly Complaint[], untold = 0, isPart = false) {
    const listed = complaints.slice(0, MOST_TOLD);
    const left = untold + complaints.length - listed.length;
    const more = left === 0 ? [] : [`and ${isPart ? 'at least ' : ''}${left} more ${nounOf(left)}`];
    super([...listed.map(formatComplaint), ...more].join('\n'));
    this.complaints = listed;
    this.untold = left;
    this.more = more;
  }
}

const nounOf = (count: number) => (count === 1 ? 'complaint' : 'complaints');

export function formatComplaint({ file, line, column, path, message }: Complaint): string {
  const position = line === 0 ? file : `${file}:${line}:${column}`;
  return [position, path, message].filter((part) => part !== '').join(': ');
}
