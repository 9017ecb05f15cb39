import type { SavedScenarios } from '@understudy/core/scenarios/loaded-scenario';
import type { ScenarioCopy } from '@understudy/core/scenarios/scenario-copy';
import { storedForm } from '@understudy/core/scenarios/stored-scenarios';
import type { Tables } from '@understudy/core/state/env';
import type { ScenarioState } from './format.ts';

/** The loaded scenarios at many moments. The texts of a scenario are there once. */
export class ScenarioStates {
  readonly #copyRow: (row: object) => object;
  readonly #copies = new Map<ScenarioCopy, number>();
  readonly #states: ScenarioState[] = [];
  readonly #known = new Map<SavedScenarios, number>();

  constructor(copyRow: (row: object) => object) {
    this.#copyRow = copyRow;
  }

  /** `tablesThen`: the rows of the same moment. */
  async indexOf(saved: SavedScenarios, tablesThen: () => Promise<Tables>): Promise<number> {
    const known = this.#known.get(saved);
    if (known !== undefined) return known;
    const tables = saved.images.length > 0 ? await tablesThen() : NO_TABLES;
    const { loaded, count, counts, images } = storedForm(saved, tables);
    const index = this.#states.push({
      loaded: loaded.map(({ id, copy, clock }) => ({ id, copy: this.#copy(copy), ...(clock && { clock }) })),
      count,
      counts: [...counts],
      images: images.map(({ before, ...image }) => ({
        ...image,
        ...(before && { before: this.#copyRow(before) as typeof before }),
      })),
    });
    this.#known.set(saved, index - 1);
    return index - 1;
  }

  list(): { copies: ScenarioCopy[]; states: ScenarioState[] } {
    return { copies: [...this.#copies.keys()].map(withoutFolders), states: this.#states };
  }

  #copy(copy: ScenarioCopy): number {
    const known = this.#copies.get(copy) ?? this.#copies.size;
    this.#copies.set(copy, known);
    return known;
  }
}

/** Read only where scenarios put rows back. */
const NO_TABLES = {} as Tables;

/** Files are named without the folders of this machine. */
function withoutFolders({ file, text, values, areTexts, texts }: ScenarioCopy): ScenarioCopy {
  const names = new Map<string, string>();
  for (const path of [file, ...Object.keys(texts.files)]) {
    const name = path.split(/[/\\]/).at(-1)!;
    const isTaken = [...names].some(([other, short]) => other !== path && short === name);
    names.set(path, isTaken ? `${names.size}-${name}` : name);
  }
  const short = (path: string) => names.get(path) ?? path;
  const included = Object.entries(texts.included).map(([key, path]) => {
    const [includer, name] = JSON.parse(key) as [string | null, string];
    return [JSON.stringify([includer === null ? null : short(includer), name]), short(path)];
  });
  return {
    file: short(file),
    ...(text !== undefined && { text }),
    values,
    areTexts,
    texts: {
      files: Object.fromEntries(Object.entries(texts.files).map(([path, content]) => [short(path), content])),
      included: Object.fromEntries(included) as Record<string, string>,
    },
  };
}
