import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Alias, Document, YAMLParseError } from 'yaml';
import { DEEPEST, isDeeper } from '../contract/body.ts';
import { loneSurrogateIn, NOT_WELL_FORMED, withEscapes } from '../well-formed.ts';
import { formatPath, type Locate, type Path } from './complaints.ts';
import { ScenarioError, type Complaint } from './scenario-error.ts';
import { findUnclosed } from './unclosed.ts';

type Problem = Pick<YAMLParseError, 'code' | 'message' | 'pos'>;

const TOO_DEEP = `is nested deeper than ${DEEPEST} levels`;

/** The text of a scenario as YAML, which JSON is too: its value, and where each member of it stands. */
export class ScenarioText {
  readonly file: string;
  readonly value: unknown;
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  /** Throws ScenarioError when the text is no YAML. */
  constructor(text: string, file: string) {
    this.file = file;
    this.#text = text;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const broken = [...this.#document.errors, ...this.#document.warnings];
    const complaints = causes(broken).map((each) => this.#tell(each));
    if (complaints.length > 0) throw new ScenarioError(firstOfLines(complaints));
    this.value = this.#read();
  }

  /** What stands at a place. */
  at(path: Path): unknown {
    return path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], this.value);
  }

  readonly locate: Locate = (path, part) => this.#position(this.#offsetOf(path, part));

  #read(): unknown {
    const stray = this.#strayAlias();
    if (stray) {
      const message = `*${stray.source} is an alias of nothing; a text that begins with * is put in quotes`;
      throw new ScenarioError([this.#complaint(stray.range?.[0] ?? 0, message)]);
    }
    const value = this.#unfold();
    if (isDeeper(value, DEEPEST)) throw new ScenarioError([this.#complaint(0, TOO_DEEP)]);
    this.#refuseLoneSurrogate(value);
    return value;
  }

  #refuseLoneSurrogate(value: unknown): void {
    const found = loneSurrogateIn(value, this.#text);
    if (!found) return;
    const path = withEscapes(formatPath(found));
    throw new ScenarioError([
      { file: this.file, ...this.locate(found, 'value'), path, message: NOT_WELL_FORMED },
    ]);
  }

  #unfold(): unknown {
    try {
      return this.#document.toJS();
    } catch (thrown) {
      // Aliases that would unfold without end.
      throw new ScenarioError([this.#complaint(0, (thrown as Error).message)]);
    }
  }

  #strayAlias(): Alias | undefined {
    let found: Alias | undefined;
    visit(this.#document, {
      Alias: (_, alias) => {
        if (alias.resolve(this.#document)) return undefined;
        found = alias;
        return visit.BREAK;
      },
    });
    return found;
  }

  /** A bracket that is not closed is told where it stands, not where the text ends without it. */
  #tell(problem: Problem): Complaint {
    const [, closing] = /^Flow .* end with a ([}\]])$/.exec(problem.message) ?? [];
    const bracket = closing === '}' ? '{' : '[';
    const start = closing && findUnclosed(this.#text, bracket, problem.pos[0]);
    return typeof start === 'number'
      ? this.#complaint(start, `this ${bracket} is not closed by a ${closing}`)
      : this.#complaint(problem.pos[0], this.#wordingOf(problem));
  }

  /** Where the parser's own words would not help. */
  #wordingOf({ code, message, pos: [offset, end] }: Problem): string {
    if (code === 'DUPLICATE_KEY') return `the key ${this.#keyAt(offset, end)} comes twice`;
    if (code === 'TAB_AS_INDENT') return 'YAML is indented with spaces, not with tabs';
    if (code === 'MULTIPLE_DOCS') return 'a text holds one scenario, and here a second one begins';
    if (this.#text.startsWith('${', offset - 1)) return 'between { } or [ ], a placeholder is put in quotes';
    return message.includes('call stack') ? TOO_DEEP : message;
  }

  #keyAt(offset: number, end: number): string {
    const [, quoted, plain] = /^(?:["']([^"'\n]*)|([^\s:]*))/.exec(this.#text.slice(offset)) ?? [];
    return quoted ?? plain ?? this.#text.slice(offset, end);
  }

  #complaint(offset: number, message: string): Complaint {
    return { file: this.file, ...this.#position(offset), path: '', message };
  }

  #position(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }

  /** Of the member; of the last one on the way to it when it is not there. */
  #offsetOf(path: Path, part: 'key' | 'value'): number {
    let node: unknown = this.#document.contents;
    let offset = offsetOfNode(node) ?? 0;
    for (const [index, step] of path.entries()) {
      const { key, value } = this.#member(node, step);
      const wanted = part === 'key' && index === path.length - 1 ? key : value;
      const found = offsetOfNode(wanted) ?? offsetOfNode(key);
      if (found === undefined) return offset;
      offset = found;
      node = value;
    }
    return offset;
  }

  #member(parent: unknown, step: string | number): { key?: unknown; value?: unknown } {
    const node = isAlias(parent) ? parent.resolve(this.#document) : parent;
    if (isSeq(node)) return { value: node.items[Number(step)] };
    if (!isMap(node)) return {};
    return node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step)) ?? {};
  }
}

const offsetOfNode = (node: unknown): number | undefined =>
  (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0];

/** The parser goes on after broken syntax, and what it says from there on is mostly a consequence. */
function causes(problems: readonly Problem[]): readonly Problem[] {
  const first = problems.findIndex(({ code }) => code !== 'DUPLICATE_KEY' && code !== 'TAG_RESOLVE_FAILED');
  return first < 0 ? problems : problems.slice(0, first + 1);
}

/** What follows on a line is mostly a consequence. */
const firstOfLines = (complaints: readonly Complaint[]) =>
  complaints.filter(({ line }, index) => complaints.findIndex((each) => each.line === line) === index);
