import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import type { Locate, Path } from './complaints.ts';
import { ScenarioError, type Complaint } from './scenario-error.ts';

/** The text of a scenario as YAML, which JSON is too: its value, and where each member of it stands. */
export class ScenarioText {
  readonly file: string;
  readonly value: unknown;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  /** Throws ScenarioError when the text is no YAML. */
  constructor(text: string, file: string) {
    this.file = file;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const broken = [...this.#document.errors, ...this.#document.warnings];
    const complaints = broken.map((each) => this.#complaint(each.pos[0], each.message));
    if (complaints.length > 0) throw new ScenarioError(firstOfLines(complaints));
    this.value = this.#read();
  }

  readonly locate: Locate = (path, part) => this.#position(this.#offsetOf(path, part));

  #read(): unknown {
    try {
      return this.#document.toJS();
    } catch (thrown) {
      // Aliases that name nothing, or that would unfold without end.
      throw new ScenarioError([this.#complaint(0, (thrown as Error).message)]);
    }
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

/** What follows on a line is mostly a consequence. */
const firstOfLines = (complaints: readonly Complaint[]) =>
  complaints.filter(({ line }, index) => complaints.findIndex((each) => each.line === line) === index);
