import type { Collections } from '../store/change-log.ts';
import type { DurableWorld } from '../store/store.ts';
import { Clock, type ClockSettings } from '../world/clock.ts';
import type { Rows } from '../world/schema.ts';
import type { Tables, World } from '../world/world.ts';
import { applyEdits, type Edit } from '../scenarios/edits.ts';
import { LoadedScenarios } from '../scenarios/rules.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { Coverage } from './coverage.ts';
import { DurableLog, type Marks, type Origin } from './durable-log.ts';
import { Journal } from './journal.ts';
import { News } from './news.ts';
import { admission, type Credentials } from './own-client.ts';
import { replay } from './replay.ts';
import { Seed } from './seeds.ts';
import { VerifiedTokens } from './verified-tokens.ts';
import { logged, type RowChange } from './work.ts';
import { WorldState, type Committed, type Occasion, type Shared } from './world-state.ts';

export interface EnvironmentSettings extends Origin {
  name: string;
  credentials: Credentials;
}

/** What a reset puts back. */
export const PARTS = ['state', 'requests', 'mail', 'scenarios', 'clock'] as const;
export type Part = (typeof PARTS)[number];

/** Nobody calls when a scenario or a tester changes rows. */
const SCENARIO: Occasion = { baseUrl: 'http://localhost' };

/** One world and all that is mutable around it: clock, scenarios, journal, and the log that remembers. */
export class Environment {
  readonly name: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly news = new News();
  /** What was seen, whatever is reset. */
  readonly coverage = new Coverage();
  readonly journal = new Journal((entry) => {
    this.coverage.count(entry);
    this.news.tell({ kind: 'request', entry });
  });
  readonly scenarios = new LoadedScenarios(() => this.#state.chance(), this.coverage.rules);
  readonly verified = new VerifiedTokens();
  readonly #settings: EnvironmentSettings;
  readonly #shared: Shared;
  #fixture: Seed;
  #initial: readonly Scenario[] = [];
  readonly #state: WorldState;
  readonly #log = new DurableLog({
    marks: () => this.#marks(),
    collections: () => this.#state.collections(),
  });

  constructor(settings: EnvironmentSettings, fixture: Seed, shared: Shared) {
    this.name = settings.name;
    this.credentials = settings.credentials;
    this.clock = new Clock(settings.clock);
    this.#settings = settings;
    this.#fixture = fixture;
    this.#shared = shared;
    const onCommit = (changes: readonly RowChange[]) => {
      this.#log.append({ changes: logged(changes) });
      tellOfMail(changes, this.news);
    };
    this.#state = new WorldState({ ...settings, clock: this.clock, shared, onCommit }, fixture);
    this.#admitOwnClient();
  }

  /** The rows to look at, as time has left them. */
  get tables(): Tables {
    this.#settle();
    return this.#state.tables;
  }

  /**
   * Runs a unit of work: all of it stands, or, when it throws, nothing does. It is in the change log when this
   * returns.
   */
  transact<T>(occasion: Occasion, run: (world: World) => T): Committed<T> {
    return this.#state.transact(occasion, run);
  }

  /** Everything due by the new time has happened when this returns. */
  setClock(settings: ClockSettings): void {
    this.clock.set(settings);
    this.#clockMoved();
  }

  /** `distance` in milliseconds. Everything due has happened, in order, when this returns. */
  advance(distance: number): void {
    this.clock.advance(distance);
    this.#clockMoved();
  }

  /** All or nothing: clock, state and rules of a scenario. One of the same name is replaced. */
  loadScenario(scenario: Scenario): { id: string; name: string } {
    this.#stage(scenario.state, scenario.clock);
    return this.scenarios.load(scenario);
  }

  /** These are loaded now, and again after each reset. */
  beginWith(scenarios: readonly Scenario[]): void {
    for (const scenario of scenarios) this.loadScenario(scenario);
    this.#initial = scenarios;
  }

  /** As at the start, or the given parts of it. The cost does not depend on how many rows there are. */
  reset(parts: ReadonlySet<Part> = new Set(PARTS)): void {
    if (parts.has('requests')) this.journal.reset();
    if (parts.has('clock')) this.#resetClock();
    if (parts.has('state')) this.#resetState();
    else if (parts.has('mail')) this.#forgetMail();
    if (parts.has('scenarios')) this.scenarios.reset();
    for (const scenario of this.#initial) {
      const edits = parts.has('state') ? scenario.state : [];
      this.#stage(edits, parts.has('clock') ? scenario.clock : undefined);
      if (parts.has('scenarios')) this.scenarios.load(scenario);
    }
    this.#settle();
    this.news.tell({ kind: 'reset', parts: [...parts] });
  }

  /** From now on this is the fixture; everything starts again with it. */
  useFixture(fixture: Seed): void {
    this.#fixture = fixture;
    this.reset();
  }

  /** Puts other rows in the place of all. A reset still goes back to the fixture. Ids that were given stay given. */
  putState(rows: Collections): void {
    const { generator } = this.#state;
    this.#state.start(new Seed(rows));
    this.#state.generator = generator;
    this.#admitOwnClient();
    this.#log.append({ base: rows, changes: [] });
  }

  /** What the log knows happens again; from now on every commit is in it before its answer is sent. */
  async restore(durable: DurableWorld): Promise<void> {
    replay(durable, {
      state: this.#state,
      clock: this.clock,
      fixture: this.#fixture,
      onStart: () => this.#admitOwnClient(),
    });
    this.#admitOwnClient();
    await this.#log.attach(durable);
  }

  collections(): Collections {
    this.#settle();
    return this.#state.collections();
  }

  /** All that a reset puts back, as plain data. */
  resettable() {
    return { collections: this.collections(), marks: this.#marks(), scenarios: this.scenarios.list() };
  }

  /** Folds the log into the file; nothing is written afterwards. */
  close(): Promise<void> {
    return this.#log.close();
  }

  /** File and log are gone. */
  drop(): Promise<void> {
    this.news.end('dropped');
    return this.#log.remove();
  }

  #admitOwnClient(): void {
    const { credentials } = this;
    this.#state.apply(admission(credentials, this.#state.tables.clients.find(credentials.client_id)));
  }

  /** All or nothing. The changes see the new time, and the rows as they were before it: what it expires comes after. */
  #stage(edits: readonly Edit[], clock: ClockSettings | undefined): void {
    this.#settle();
    const before = this.clock.settings();
    if (clock) this.clock.set(clock);
    try {
      if (edits.length > 0)
        this.#state.write(SCENARIO, (world) => applyEdits(world, edits, this.#shared.rows));
    } catch (thrown) {
      this.clock.set(before);
      throw thrown;
    }
    this.#clockMoved();
  }

  /** What time has changed by now. */
  #settle(): void {
    this.#state.settle(this.clock.now());
  }

  #resetState(): void {
    this.#state.start(this.#fixture);
    this.#admitOwnClient();
    this.#log.append({ base: 'fixture', changes: [] });
  }

  #resetClock(): void {
    this.clock.set(this.#settings.clock);
    this.#log.append({ changes: [] });
  }

  #forgetMail(): void {
    this.transact(SCENARIO, (world) => {
      for (const { id } of world.mails.list()) world.remove('mails', id);
    });
  }

  #clockMoved(): void {
    this.#log.append({ changes: [] });
    this.#settle();
  }

  #marks(): Marks {
    const { fixture, seed, clock } = this.#settings;
    return {
      generator: this.#state.generator,
      clock: this.clock.settings(),
      origin: { fixture, seed, clock },
    };
  }
}

function tellOfMail(changes: readonly RowChange[], news: News): void {
  for (const { collection, before, after } of changes) {
    if (collection === 'mails' && !before) news.tell({ kind: 'mail', mail: after as Rows['mails'] });
  }
}
