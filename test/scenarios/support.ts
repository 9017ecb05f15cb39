import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Contract } from '../../src/contract/contract.ts';
import { readContract } from '../../src/contract/documents.ts';
import { FixtureFolders } from '../../src/fixtures/fixture-files.ts';
import { loadFixture } from '../../src/fixtures/fixtures.ts';
import { FixtureRows } from '../../src/state/fixture-rows.ts';
import { Environment } from '../../src/environment/environment.ts';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { LoadedScenarios } from '../../src/scenarios/rules.ts';
import { ScenarioError, type Complaint } from '../../src/scenarios/complaints.ts';
import type { ScenarioHost } from '../../src/scenarios/rule-outcome.ts';
import type { CallFacts } from '../../src/scenarios/call-facts.ts';
import { createScenarioCatalog } from '../../src/scenarios/library.ts';
import type { Collections } from '../../src/store/change-log.ts';
import { SchemaChecks } from '../../src/contract/json-schema/checks.ts';
import { Keys } from '../../src/state/keys.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { OutgoingCalls } from '../../src/webhooks/outgoing-calls.ts';

export const contract = new Contract(readContract('openapi'));
export const control = new Contract(readContract('control'));
export const SCENARIOS = join(PACKAGE_ROOT, 'scenarios');
export const { reader, library } = createScenarioCatalog({ contract, control });
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

/** `line:column path: message` of every error. */
export const complain = (yaml: string): string[] =>
  complaintsOf(() => read(yaml)).map(
    ({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`,
  );

export const half = () => 0.5;

export const stage = (chance = half): ScenarioHost => ({
  chance,
  now: () => Date.parse(NOW),
  change: () => [],
  restore: () => {},
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

/** What the caller of the operation gets: the error name, the status of a reply, or nothing. */
export async function hear(
  loaded: LoadedScenarios,
  operation: string,
  given?: Partial<CallFacts>,
): Promise<string | number | undefined> {
  const reply = await loaded
    .outcomeFor(facts(operation, given))
    .apply?.()
    .catch((thrown: { failure: string }) => thrown.failure);
  return typeof reply === 'string' ? reply : reply?.status;
}

/** An environment with the default fixture and a frozen clock. */
export function createEnvironment(rows: Collections = defaultRows()): Environment {
  const [keys, report, metrics] = [new Keys(), () => {}, new Metrics()];
  const services = {
    keys,
    report,
    schemas: new SchemaChecks(),
    rows: control,
    journal: { entries: 0, bytes: 0, redact: true },
    outgoing: new OutgoingCalls({ keys, contract, allow: [], report, metrics, kinds: [] }),
    webhooks: { urls: [], secret: '' },
    consequences: [],
    history: 10_000,
    warn: () => {},
    onCalled: () => {},
    metrics,
    readScenario: () => Promise.reject(new Error('nothing is stored')),
  };
  const clock = { mode: 'frozen', at: NOW } as const;
  const credentials = { client_id: 'skc_1', client_secret: 'test_1' };
  return new Environment({ name: 'default', seed: 1, clock, credentials }, new FixtureRows(rows), services);
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
