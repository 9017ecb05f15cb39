import { embed } from '@understudy/core/cli/serve';
import type { Environment } from '@understudy/core/environment/environment';
import type { Entry } from '@understudy/core/journal/entry';
import type { Scenario } from '@understudy/core/scenarios/scenario';
import { ScenarioText } from '@understudy/core/scenarios/scenario-text';
import { runSync } from '@understudy/core/scenarios/steps';
import { RULES, seenCall, type SeenCall, type TestRun } from './seen.ts';

/** What happens to the calls of each environment. */
export interface Injection {
  /** A rule of a scenario, as it is written. */
  rule?: object;
  /** The clock of a scenario, as it is written. */
  clock?: object;
  /** A scenario by name, in place of rule and clock. */
  scenario?: { name: string; params: object };
  /** A rule that is added once the first one was applied to this call. */
  after?: (call: SentCall) => object;
}

/** What a caller has sent. */
export type SentCall = Pick<Entry, 'headers'>;

export interface WatchedService {
  url: string;
  /** The certificate that clients must trust, as PEM. */
  authority: () => Promise<string>;
  /** What each test has done so far, tests first, by name. The last one is what belongs to no test. */
  runs: () => TestRun[];
  /** The calls of a test, as the control API shows them. */
  journalOf: (test: string | undefined) => Record<string, unknown>[];
  close(): Promise<void>;
}

/**
 * Starts a service of its own for one run of a suite, since tests may use the environment `default`. Rules have the numbers of their
 * injections.
 */
export async function openService(seed: number, injections: readonly Injection[]): Promise<WatchedService> {
  const running = await embed({ seed, logLevel: 'error' }, () => {});
  const { controls } = running;
  const { environments } = controls.simulator;
  const { library } = await controls.scenarios();
  const read = (name: string, written: object): Scenario => {
    const text = new ScenarioText(JSON.stringify(written), 'the rules of the sweep');
    return { ...runSync(library.readRequested(text)), name };
  };
  const scenario = injections.length === 0 ? undefined : read(RULES, writtenOf(injections));
  const then = (rule: number, sent: SentCall) => {
    const added = injections[rule]?.after?.(sent);
    const name = `${RULES}-after`;
    return added && read(name, { name, rules: [added] });
  };
  const watched: WatchedEnvironment[] = [];
  const watch = (environment: Environment) =>
    void watched.push(new WatchedEnvironment(environment, scenario, then));
  const standard = environments.get('default');
  watch(standard);
  standard.activity.observe((item) => {
    if (item.kind !== 'environment') return;
    const { change, name } = item;
    if (change === 'created' || change === 'forked') watch(environments.get(name));
    if (change === 'kept') watched.findLast((each) => each.name === name)?.endTest();
  });
  return {
    url: running.url,
    authority: () => controls.certificates.authority(),
    runs: () => runsOf(watched),
    journalOf: (test) => watched.filter((each) => each.test === test).flatMap((each) => each.journal()),
    close: async () => void (await running.stop()),
  };
}

function writtenOf(injections: readonly Injection[]): object {
  const [first] = injections;
  if (first?.scenario) return first.scenario;
  const clock = injections.find((each) => each.clock)?.clock;
  return { name: RULES, ...(clock && { clock }), rules: injections.map(({ rule }) => rule) };
}

type AddedRule = (rule: number, sent: SentCall) => Scenario | undefined;

/** Collects the calls of one environment, even after it is dropped. */
class WatchedEnvironment {
  /** The test that it was made for. */
  test: string | undefined;
  readonly #environment: Environment;
  readonly #calls: { entry: Entry; end: number }[] = [];
  #outcome: TestRun['outcome'] = 'unfinished';
  #endedAt: number | undefined;
  #hits: number[] = [];

  constructor(environment: Environment, scenario: Scenario | undefined, then: AddedRule) {
    this.#environment = environment;
    if (scenario) environment.loadScenario(scenario);
    environment.activity.observe((item) => {
      if (item.kind === 'request') {
        const { entry } = item;
        this.#calls.push({ entry, end: performance.now() });
        const rule = entry.decision?.rule;
        const added = rule?.name === RULES ? then(rule.rule, entry) : undefined;
        if (added) environment.loadScenario(added);
      }
      // A reset unloads what was loaded later than the start.
      if (item.kind === 'reset' && scenario && this.#countHits().every((hits) => hits === 0))
        environment.loadScenario(scenario);
    });
  }

  get name(): string {
    return this.#environment.name;
  }

  endTest(): void {
    const { keptFor } = this.#environment;
    if (!keptFor) return;
    this.test = keptFor.test;
    this.#outcome = keptFor.outcome;
    this.#endedAt = performance.now();
  }

  /** What has happened here, as far as it belongs to the test. */
  run(): Omit<TestRun, 'test'> {
    const now = this.#endedAt ?? performance.now();
    // The end of a test ends the calls that it still waits for.
    const closed = this.#calls.map(({ entry, end }) => seenCall(entry, end, end > now));
    const open = this.#open().map((entry) => ({
      ...seenCall(entry, now, true),
      start: performance.now() - entry.age,
    }));
    return {
      outcome: this.#outcome,
      calls: [...closed, ...open].filter((call): call is SeenCall => call?.operation !== undefined),
      deliveries: this.#deliveries(),
      hits: this.#countHits(),
    };
  }

  journal(): Record<string, unknown>[] {
    const { journal } = this.#environment;
    return [...this.#calls.map(({ entry }) => entry), ...this.#open()]
      .filter(({ operation }) => operation !== undefined)
      .map((entry) => journal.view(entry));
  }

  #open(): Entry[] {
    return this.#environment.journal.list().filter(({ isClosed }) => !isClosed);
  }

  /** How often each rule was applied, to calls and to webhooks. */
  #countHits(): readonly number[] {
    const rules = this.#environment.scenarios.find(RULES)?.rules ?? [];
    return (this.#hits = rules.map(({ hits }, index) => Math.max(hits, this.#hits[index] ?? 0)));
  }

  #deliveries(): TestRun['deliveries'] {
    const rows = this.#environment.tables.webhook_deliveries.list();
    return rows.map(({ event_type: event, attempts }) => ({
      event,
      changed: attempts.flatMap(({ scenario, status }) =>
        scenario?.name === RULES ? [{ rule: scenario.rule, status }] : [],
      ),
    }));
  }
}

/** A test may have several environments. */
function runsOf(watched: readonly WatchedEnvironment[]): TestRun[] {
  const tests = [...new Set(watched.flatMap(({ test }) => (test === undefined ? [] : [test])))].toSorted();
  return [...tests, undefined].map((test) => {
    const runs = watched.filter((each) => each.test === test).map((each) => each.run());
    return {
      test,
      outcome: runs.some(({ outcome }) => outcome === 'failed')
        ? 'failed'
        : (runs[0]?.outcome ?? 'unfinished'),
      calls: runs.flatMap(({ calls }) => calls).toSorted((a, b) => a.start - b.start),
      deliveries: runs.flatMap(({ deliveries }) => deliveries),
      hits: sumsOf(runs.map(({ hits }) => hits)),
    };
  });
}

const sumsOf = ([first = [], ...others]: readonly (readonly number[])[]): number[] =>
  first.map((hits, index) => others.reduce((sum, each) => sum + (each[index] ?? 0), hits));
