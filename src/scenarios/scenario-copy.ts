import { createHash } from 'node:crypto';
import type { ParamValues } from './params.ts';

/** A name or file with values for the parameters. */
export interface Origin extends Pick<ParamValues, 'values' | 'areTexts'> {
  name: string;
}

/** The texts that a scenario was read from: it can be read again where its files have changed or do not exist. */
export interface ScenarioCopy {
  /** Its file or, if it came with a call, its name in complaints. */
  file: string;
  /** Undefined: the text of its file. */
  text?: string;
  values: Origin['values'];
  areTexts: boolean;
  texts: CopiedTexts;
  /** How to read the scenario's file again; absent if it came without a file. */
  origin?: Origin;
}

/** What was read from folders. */
interface CopiedTexts {
  /** By file. */
  readonly files: Record<string, string>;
  /** The file of each included name, by `keyOf`. */
  readonly included: Record<string, string>;
}

/** Where scenarios and what they include come from. */
export interface ScenarioTexts {
  textOf(file: string): string;
  /** The file that `includer` includes by this name. */
  findFor(name: string, includer: string | undefined): string | undefined;
  /** Why the file with this name cannot be used; undefined if there is none. */
  whyUnusable(name: string): string | undefined;
  /** All names that `includer` could include. */
  namesFor(includer: string | undefined): string[];
}

/** Remembers what it passes on. */
export class TextsOnRecord implements ScenarioTexts {
  readonly copied: CopiedTexts = { files: {}, included: {} };
  readonly #texts: ScenarioTexts;

  constructor(texts: ScenarioTexts) {
    this.#texts = texts;
  }

  textOf(file: string): string {
    return (this.copied.files[file] = this.#texts.textOf(file));
  }

  findFor(name: string, includer: string | undefined): string | undefined {
    const file = this.#texts.findFor(name, includer);
    if (file !== undefined) this.copied.included[keyOf(name, includer)] = file;
    return file;
  }

  whyUnusable(name: string): string | undefined {
    return this.#texts.whyUnusable(name);
  }

  namesFor(includer: string | undefined): string[] {
    return this.#texts.namesFor(includer);
  }
}

/** The texts of a copy. */
export const textsOf = ({ files, included }: CopiedTexts): ScenarioTexts => ({
  textOf: (file) => files[file] ?? '',
  findFor: (name, includer) => included[keyOf(name, includer)],
  whyUnusable: () => undefined,
  namesFor: () => [],
});

const keyOf = (name: string, includer: string | undefined) => JSON.stringify([includer ?? null, name]);

/** The same for the same texts and values, wherever the files are. */
export function fingerprintOf({ text, values, areTexts, texts: { files } }: ScenarioCopy): string {
  const content = JSON.stringify([text, values, areTexts, Object.values(files)]);
  return createHash('sha256').update(content).digest('base64url');
}
