import type { ClockSettings } from '../state/clock.ts';
import type { RowChange, Tables, Collection } from '../state/env.ts';
import { anyTable } from '../state/schema.ts';
import type { BeforeImage, SavedScenarios } from './loaded-scenario.ts';
import type { ScenarioCopy } from './scenario-copy.ts';
import type { Scenario } from './scenario.ts';
import type { ActiveRule } from './active-rule.ts';

/** The loaded scenarios as plain data. In a commit, what is absent has not changed. */
export interface StoredScenarios {
  /** In loading order. */
  loaded?: readonly StoredScenario[];
  /** How many were loaded so far: ids continue there. */
  count?: number;
  /** With `loaded` those of all rules, otherwise those that have changed. */
  counts?: readonly StoredCounts[];
  images?: readonly StoredImage[];
  /** The fingerprints of the scenarios of the command line. */
  initial?: readonly string[];
}

interface StoredScenario {
  id: string;
  copy: ScenarioCopy;
  /** The settings to restore at unloading. */
  clock?: ClockSettings;
}

/** The scenario's name, the index of the rule, and its counts. */
type StoredCounts = readonly [name: string, rule: number, seen: number, hits: number];

export interface StoredImage {
  owner: string;
  collection: Collection;
  id: string;
  /** Absent if the scenario has created the row. */
  before?: RowChange['before'];
  /** The number of rows before it. */
  index: number;
}

type StoredLoaded = Required<Omit<StoredScenarios, 'initial'>>;

/** Everything as plain data; `tables`: the rows of the same moment. */
export const storedForm = ({ loaded, count, images }: SavedScenarios, tables: Tables): StoredLoaded => ({
  loaded: loaded.map(({ id, scenario: { copy }, clock }) => ({ id, copy, ...(clock && { clock }) })),
  count,
  counts: loaded.flatMap(({ rules }) => rules.filter(({ seen }) => seen > 0).map(countsOf)),
  images: storedImages(images, tables),
});

export const countsOf = ({ label, seen, hits }: SavedScenarios['loaded'][number]['rules'][number]) =>
  [label.name, label.rule, seen, hits] as const;

export const storedImages = (images: readonly BeforeImage[], tables: Tables): StoredImage[] =>
  images.map(({ owner, change: { collection, id, position, before } }) => ({
    owner,
    collection,
    id,
    ...(before && { before }),
    index: indexOf(position, collection, tables),
  }));

function indexOf(position: number, collection: Collection, tables: Tables): number {
  let index = 0;
  for (const each of anyTable(tables, collection).bucket().ascending()) {
    if (each >= position) break;
    index += 1;
  }
  return index;
}

/** The state after these commits. */
export function mergeStored(commits: Iterable<StoredScenarios | undefined>): StoredScenarios {
  let merged: StoredScenarios = {};
  const counts = new Map<string, StoredCounts>();
  for (const commit of commits) {
    if (!commit) continue;
    if (commit.loaded) counts.clear();
    for (const each of commit.counts ?? []) counts.set(keyOf(each[0], each[1]), each);
    merged = { ...merged, ...commit };
  }
  return { ...merged, counts: [...counts.values()] };
}

const keyOf = (name: string, rule: number) => `${rule} ${name}`;

/** Scenarios that were stored, read again. */
export interface RevivedScenarios extends Pick<SavedScenarios, 'loaded' | 'count'> {
  images: readonly StoredImage[];
}

/** `read` returns undefined if the scenario can no longer be read. */
export async function revive(
  { loaded = [], count = 0, counts = [], images = [] }: StoredScenarios,
  read: (copy: ScenarioCopy) => Promise<Scenario | undefined>,
): Promise<RevivedScenarios> {
  const byRule = new Map(counts.map((each) => [keyOf(each[0], each[1]), each]));
  const revived: SavedScenarios['loaded'][number][] = [];
  for (const { id, copy, clock } of loaded) {
    const scenario = await read(copy);
    if (scenario)
      revived.push({ id, name: scenario.name, scenario, clock, rules: rulesOf(scenario, byRule) });
  }
  const owners = new Set(revived.map(({ id }) => id));
  return { loaded: revived, count, images: images.filter(({ owner }) => owners.has(owner)) };
}

function rulesOf({ name, file, rules }: Scenario, counts: ReadonlyMap<string, StoredCounts>) {
  return rules.map((rule, index) => {
    const [, , seen = 0, hits = 0] = counts.get(keyOf(name, index)) ?? [];
    const use = { scenario: name, rule: index, on: rule.on, ...(file !== undefined && { file }) };
    return {
      rule,
      label: { name, rule: index },
      seen,
      hits,
      counter: { ...use, loaded: 0, fired: 0, before: 0 },
    };
  });
}

/** What has changed in the loaded scenarios since it was stored for the last time. */
export class UnstoredChanges {
  /** Scenarios were loaded or unloaded, so everything is stored again. */
  isWhole = true;
  /** Rows that scenarios put back. */
  hasImages = false;
  /** Whether the counts decide what later calls get. */
  decides = true;
  /** Counts the changes, stored or not. */
  version = 0;
  readonly #counted = new Set<ActiveRule>();

  get isEmpty(): boolean {
    return !this.isWhole && !this.hasImages && this.#counted.size === 0;
  }

  /** The rules with new counts. */
  get counted(): Iterable<ActiveRule> {
    return this.#counted;
  }

  noteAll(): void {
    this.version += 1;
    this.isWhole = true;
    this.decides = true;
    this.#counted.clear();
  }

  noteImages(): void {
    this.version += 1;
    this.hasImages = true;
    this.decides = true;
  }

  noteCount(active: ActiveRule): void {
    this.version += 1;
    this.decides ||= isLimited(active);
    if (!this.isWhole) this.#counted.add(active);
  }

  clear(): void {
    this.isWhole = false;
    this.hasImages = false;
    this.decides = false;
    this.#counted.clear();
  }
}

/** Whether the counts of the rule, or a random number, decide about its next call. */
const isLimited = ({ rule: { after, every, times, probability } }: ActiveRule): boolean =>
  times !== undefined || after > 0 || every > 1 || probability !== undefined;
