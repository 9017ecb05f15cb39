import { basename } from 'node:path';
import { withoutMiddle } from '@understudy/text/suggestion';
import { formatPath, PathSet, type Path } from './path.ts';

/** The line and column of a scenario's member: of its key or of its value. */
export type Locate = (path: Path, part: 'key' | 'value') => { line: number; column: number };

/** For scenarios that came without a text. */
export const NOWHERE: Locate = () => ({ line: 0, column: 0 });

/** Where the value of a parameter was given, if outside the text. */
interface ValueOrigin {
  complaints: Complaints;
  path: Path;
}

/** A function is called only if the message is shown, because suggestions take time. */
type ComplaintMessage = string | (() => string);

/** Collects everything that is wrong with one text and the texts that it includes. */
export class Complaints {
  readonly #file: string;
  readonly #locate: Locate;
  readonly #root: Path;
  readonly #listed: Complaint[] = [];
  #count = 0;
  readonly #included: Complaints[] = [];
  readonly #adopted: Complaint[] = [];
  readonly #open = new PathSet();
  /**
   * Templates by the path of each member that contains them. They are filled when a rule is applied or an edit is
   * made.
   */
  readonly #templates = new Map<string, Path[]>();
  readonly #leftOut = new Set<string>();
  readonly #filled = new Map<string, string>();
  readonly #givenAt = new Map<string, ValueOrigin>();
  /** Places with mistakes, including those reported at the parameter's value. */
  readonly #withMistakes = new PathSet();

  /** `root`: the part of the text that is checked; complaint paths start there. */
  constructor(file: string, locate: Locate, root: Path = []) {
    this.#file = file;
    this.#locate = locate;
    this.#root = root;
  }

  /** Complaints about an included text, shown after those of this text. */
  included(file: string, locate: Locate): Complaints {
    const complaints = new Complaints(file, locate);
    this.#included.push(complaints);
    return complaints;
  }

  /** Adds the complaints about a text that could not be read. */
  adopt({ complaints, notListed }: ScenarioError): void {
    this.#adopted.push(...complaints);
    this.#count += complaints.length + notListed;
  }

  /** Throws ScenarioError once there are too many complaints. */
  add(path: Path, message: ComplaintMessage, part: 'key' | 'value' = 'value'): void {
    if (!this.#dependsOnOpen(path)) this.#add(path, message, part);
  }

  /** Complains of what the template itself refers to. */
  addToTemplate(path: Path, message: ComplaintMessage): void {
    this.#add(path, message, 'value');
  }

  #add(path: Path, message: ComplaintMessage, part: 'key' | 'value'): void {
    this.#withMistakes.add(path);
    const parameter = this.#filled.get(formatPath(path));
    const giver = parameter === undefined ? undefined : this.#givenAt.get(parameter);
    if (giver) {
      giver.complaints.add(giver.path, () => `${textOf(message)} (used in ${this.#useAt(path)})`);
      return;
    }
    this.#count += 1;
    if (this.#listed.length < MAX_LISTED) this.#list(path, textOf(message), parameter, part);
    if (this.#count >= MAX_COUNTED) this.giveUp();
  }

  #list(path: Path, message: string, parameter: string | undefined, part: 'key' | 'value'): void {
    const whole = [...this.#root, ...path];
    const complaint = {
      file: this.#file,
      ...this.#locate(whole, part),
      path: formatPath(whole),
      message: parameter === undefined ? message : `${message} (the parameter ${parameter})`,
    };
    this.#listed.push(bounded(complaint));
  }

  /** For example `line 7 of invite-expired.yaml, as state.memberships[0]`. */
  #useAt(path: Path): string {
    const whole = [...this.#root, ...path];
    const { line } = this.#locate(whole, 'value');
    const file = basename(this.#file);
    return `${line === 0 ? file : `line ${line} of ${file}`}, as ${formatPath(whole)}`;
  }

  /** For example `invite-expired.yaml:7:7: state.memberships[0]`. */
  placeOf(path: Path): string {
    const whole = [...this.#root, ...path];
    return formatComplaint({
      file: this.#file,
      ...this.#locate(whole, 'value'),
      path: formatPath(whole),
      message: '',
    });
  }

  /** Marks a value that is not known yet, so that nothing complains of it. */
  leaveOpen(path: Path): void {
    this.#open.add(path);
  }

  isOpen(path: Path): boolean {
    return this.#open.hasAbove(path);
  }

  /** Marks a template, whose value is only known with the call or the row. */
  noteTemplate(path: Path): void {
    for (let length = 0; length <= path.length; length += 1) {
      const upper = path.slice(0, length);
      const known = this.#templates.get(formatPath(upper));
      if (known) known.push(path);
      else this.#templates.set(formatPath(upper), [path]);
    }
  }

  /** The paths of templates below a path, relative to it. */
  templatesIn(path: Path): Path[] {
    return (this.#templates.get(formatPath(path)) ?? []).map((each) => each.slice(path.length));
  }

  /** Marks a part that the parameters leave out of the scenario. */
  leaveOut(path: Path): void {
    this.#leftOut.add(formatPath(path));
  }

  isLeftOut(path: Path): boolean {
    return this.#leftOut.has(formatPath(path));
  }

  /** Marks a value that came from a parameter. */
  noteFilled(path: Path, parameter: string): void {
    this.#filled.set(formatPath(path), parameter);
  }

  /** Complaints about this parameter's value are reported where the value was given. */
  noteOrigin(parameter: string, giver: ValueOrigin): void {
    this.#givenAt.set(parameter, giver);
  }

  /** Whether everything at this path or below is known and without complaint. */
  isClean(path: Path): boolean {
    return !this.isOpen(path) && !this.#open.hasBelow(path) && !this.#withMistakes.hasBelow(path);
  }

  throwIfAny(): void {
    if (this.#total() > 0) throw this.#error(false);
  }

  /** Throws ScenarioError with the complaints so far. */
  giveUp(): never {
    throw this.#error(true);
  }

  /** Removes duplicates, because a scenario can be included twice. */
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

  /** A body is checked as a whole, everything else member by member. */
  #dependsOnOpen(path: Path): boolean {
    if (this.isOpen(path)) return true;
    const templates = this.#templates.get(formatPath(path)) ?? [];
    if (path.at(-1) !== 'body') return templates.some(({ length }) => length === path.length);
    return templates.length > 0 || this.#open.hasBelow(path);
  }
}

const textOf = (message: ComplaintMessage) => (typeof message === 'string' ? message : message());

/** One mistake in a scenario. Line and column start at 1; 0 for a scenario without a text. */
export interface Complaint {
  file: string;
  line: number;
  column: number;
  /** For example `rules[0].reply.error`; empty for the whole text. */
  path: string;
  message: string;
}

/** A complaint names what a scenario says, which can be long. */
const LONGEST_TEXT = 2000;

const bounded = ({ path, message, ...rest }: Complaint): Complaint => ({
  ...rest,
  path: withoutMiddle(path, LONGEST_TEXT),
  message: withoutMiddle(message, LONGEST_TEXT),
});

/** The most complaints that are listed for one scenario; further ones are counted. */
export const MAX_LISTED = 50;

/** The check stops after so many complaints. */
export const MAX_COUNTED = 1000;

/** The message has one line for each mistake. */
export class ScenarioError extends Error {
  readonly complaints: readonly Complaint[];
  /** Complaints that are counted but not listed. */
  readonly notListed: number;

  /** For example `and 7 more complaints`; empty if all are listed. */
  readonly more: readonly string[];

  /** `isPart`: the check stopped early. */
  constructor(complaints: readonly Complaint[], notListed = 0, isPart = false) {
    const listed = complaints.slice(0, MAX_LISTED).map(bounded);
    const left = notListed + complaints.length - listed.length;
    const more = left === 0 ? [] : [`and ${isPart ? 'at least ' : ''}${left} more ${nounOf(left)}`];
    super([...listed.map(formatComplaint), ...more].join('\n'));
    this.complaints = listed;
    this.notListed = left;
    this.more = more;
  }
}

const nounOf = (count: number) => (count === 1 ? 'complaint' : 'complaints');

export function formatComplaint({ file, line, column, path, message }: Complaint): string {
  const position = line === 0 ? file : `${file}:${line}:${column}`;
  return [position, path, message].filter((part) => part !== '').join(': ');
}
