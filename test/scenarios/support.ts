import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Contract } from '../../src/contract/contract.ts';
import { readContract } from '../../src/documents.ts';
import { FixtureFolders } from '../../src/environments/fixture-files.ts';
import { loadFixture } from '../../src/environments/fixtures.ts';
import { Seed } from '../../src/environments/seeds.ts';
import { WorldState } from '../../src/environments/world-state.ts';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import { LoadedScenarios } from '../../src/scenarios/rules.ts';
import { ScenarioError, type Complaint } from '../../src/scenarios/scenario-error.ts';
import type { CallFacts, Stage } from '../../src/scenarios/script.ts';
import { createScenarioShelf } from '../../src/scenarios/shelf.ts';
import type { Collections } from '../../src/store/change-log.ts';
import { SchemaChecks } from '../../src/world/json-schema.ts';
import { Clock } from '../../src/world/clock.ts';
import { Keys } from '../../src/world/keys.ts';

export const contract = new Contract(readContract('openapi'));
export const control = new Contract(readContract('control'));
export const SCENARIOS = join(PACKAGE_ROOT, 'scenarios');
export const { reader, library } = createScenarioShelf({ contract, control });
export const NOW = '2026-03-01T09:00:00.000Z';

export const read = (yaml: string) => reader.read(yaml, 'test.yaml');

export function complaintsOf(run: () => unknown): readonly Complaint[] {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof ScenarioError) return thrown.complaints;
    throw thrown;
  }
  return [];
}

/** `line:column path: message` of every complaint. */
export const complain = (yaml: string): string[] =>
  complaintsOf(() => read(yaml)).map(
    ({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`,
  );

export const half = () => 0.5;

export const stage = (chance = half): Stage => ({
  chance,
  now: () => Date.parse(NOW),
  change: () => [],
  putBack: () => {},
});

export function load(yaml: string, chance = half): LoadedScenarios {
  const loaded = new LoadedScenarios(stage(chance));
  loaded.load(read(yaml));
  return loaded;
}

export function facts(operation: string, given: Partial<CallFacts> = {}): CallFacts {
  const found = contract.operation(operation)!;
  const call = {
    protocol: 'rest',
    method: found.method,
    path: found.path,
    params: {},
    query: {},
    headers: {},
  };
  return { operation: found, ...call, body: undefined, caller: undefined, ...given };
}

/** What a call hears: the failure's name, the status of a reply, or nothing. */
export async function hear(
  loaded: LoadedScenarios,
  operation: string,
  given?: Partial<CallFacts>,
): Promise<string | number | undefined> {
  const reply = await loaded
    .scriptFor(facts(operation, given))
    .play()
    .catch((thrown: { failure: string }) => thrown.failure);
  return typeof reply === 'string' ? reply : reply?.status;
}

/** A world on the default fixture, its clock frozen. */
export function createWorld(rows: Collections = defaultRows()): WorldState {
  const clock = new Clock({ mode: 'frozen', at: NOW });
  const shared = {
    keys: new Keys(),
    schemas: new SchemaChecks(),
    rows: control,
    report: () => {},
    warn: () => {},
    history: 10_000,
  };
  return new WorldState(
    { name: 'default', seed: 1, clock, shared, onCommit: () => {}, onDeadline: () => {} },
    new Seed(rows),
  );
}

export const defaultRows = (): Collections =>
  loadFixture('default', Date.parse(NOW), {
    folders: new FixtureFolders([], join(PACKAGE_ROOT, 'fixtures')),
    contract: control,
  });

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scenarios-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function folderWith(files: Record<string, string>): string {
  const folder = makeFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
