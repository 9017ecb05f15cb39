import { version } from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ControlContext } from '@understudy/core/control/handler';
import type { Environment } from '@understudy/core/environment/environment';
import type { Moments, Surroundings } from '@understudy/core/environment/moments';
import { Redaction } from '@understudy/core/journal/redaction';
import { failedPrecondition } from '@understudy/core/contract/errors';
import { tablesAt, type SavedState } from '@understudy/core/state/state';
import type { RowChange } from '@understudy/core/state/env';
import type { Collections, Row } from '@understudy/core/store/change-log';
import { bundledCall, noteVerifiers } from './calls.ts';
import {
  FORMAT,
  LIMITS,
  VERSION,
  type Bundle,
  type BundledCommit,
  type BundledEnvironment,
  type BundledSurroundings,
  type BundledTest,
} from './format.ts';
import { ScenarioStates } from './scenario-states.ts';
import { StandIns } from './stand-ins.ts';

/** How many rows, commits or calls are copied before other calls are served. */
const PIECE = 50;

/** The JSON of a bundle, in pieces. Other calls are served meanwhile, and what they do is not in it. */
export async function bundleText(context: ControlContext, test?: BundledTest): Promise<string> {
  const { environment } = context;
  const moment = new RunMoment(environment);
  for (let from = moment.oldest; ; from = moment.middle(from)) {
    const text = await textOf(await new Copy(context, moment, from).bundle(test));
    if (text.length <= LIMITS.written) return text;
    if (from === moment.position)
      throw failedPrecondition(
        `environment ${environment.name} has too many rows for a bundle: ${text.length} characters, and ${LIMITS.written} is the limit`,
      );
  }
}

/** As JSON. Its long lists are written item by item. */
async function textOf({ start, commits, calls, ...head }: Bundle): Promise<string> {
  const { rows, ...moment } = start;
  const collections: string[] = [];
  for (const [name, list] of Object.entries(rows))
    collections.push(`${JSON.stringify(name)}:${await listText(list)}`);
  const beginning = `${JSON.stringify(moment).slice(0, -1)},"rows":{${collections.join(',')}}}`;
  const lists = `"commits":${await listText(commits)},"calls":${await listText(calls)}`;
  return `${JSON.stringify(head).slice(0, -1)},"start":${beginning},${lists}}`;
}

async function listText(items: readonly object[]): Promise<string> {
  const texts: string[] = [];
  for (const item of items) {
    texts.push(JSON.stringify(item));
    if (texts.length % PIECE === 0) await nextTurn();
  }
  return `[${texts.join(',')}]`;
}

/** What an environment has at this moment. */
class RunMoment {
  readonly history: ReturnType<Moments['list']>;
  readonly entries;
  readonly now: Surroundings;
  /** The number of the call that has made each change. */
  readonly callOf = new Map<RowChange, number>();
  readonly position: number;
  readonly environment: Environment;

  constructor(environment: Environment) {
    environment.moments.noteCall();
    this.environment = environment;
    this.history = environment.moments.list();
    this.entries = environment.journal.list().filter(({ isClosed }) => isClosed);
    this.position = environment.moments.position;
    const [last, step] = [this.history.surroundings.at(-1)!, this.history.steps.at(-1)];
    const isOlder = step !== undefined && last.position < this.position;
    this.now = { ...last, position: this.position, ...(isOlder && { generator: step.generator }) };
    for (const { number, changes } of this.entries) for (const each of changes) this.callOf.set(each, number);
  }

  /** The first moment whose scenarios and clock are known. */
  get oldest(): number {
    return Math.max(this.history.position, this.history.surroundings[0]!.position);
  }

  /** A later start, for a smaller file. */
  middle(from: number): number {
    return from + Math.ceil((this.position - from) / 2);
  }
}

/** Copies what an environment has, without secrets. */
class Copy {
  readonly #context: ControlContext;
  readonly #moment: RunMoment;
  readonly #from: number;
  readonly #standIns: StandIns;
  readonly #scenarios: ScenarioStates;
  /** Rows are frozen, so that each is copied once. */
  readonly #rows = new WeakMap<object, object>();
  #copied = 0;

  constructor(context: ControlContext, moment: RunMoment, from: number) {
    this.#context = context;
    this.#moment = moment;
    this.#from = from;
    this.#standIns = new StandIns(context.environment.name);
    this.#scenarios = new ScenarioStates((row) => this.#row(row));
    noteVerifiers(moment.entries, this.#standIns);
  }

  async bundle(test: BundledTest | undefined): Promise<Bundle> {
    const { history } = this.#moment;
    const { moments } = this.#context.environment;
    const first = history.surroundings.findLastIndex((each) => each.position <= this.#from);
    const kept = history.surroundings.slice(first);
    const state = await moments.stateAt(this.#from);
    const [begin] = kept as [Surroundings];
    const { generator, ...start } = await this.#surroundings(begin);
    const before = history.steps[this.#from - history.position - 1]?.generator;
    const surroundings: BundledSurroundings[] = [];
    for (const each of kept) surroundings.push(await this.#surroundings(each));
    surroundings.push(await this.#surroundings(this.#moment.now));
    const rows = await this.#collections(state);
    const commits = await this.#commits();
    const calls = await this.#calls(history.first + first);
    return {
      format: FORMAT,
      version: VERSION,
      understudy: this.#context.version,
      node: version,
      made: new Date().toISOString(),
      ...(test && { test }),
      environment: this.#environment(),
      start: {
        rows,
        ...start,
        position: this.#from,
        generator: begin.position === this.#from ? generator : (before ?? generator),
      },
      commits,
      surroundings,
      scenarios: this.#scenarios.list(),
      calls,
      stand_ins: this.#standIns.list(),
    };
  }

  #environment(): BundledEnvironment {
    const { environment, baseUrl } = this.#context;
    const { name, made, generation, credentials } = environment;
    return {
      name,
      base_url: baseUrl,
      client_id: credentials.client_id,
      seed: made.seed,
      generation,
      ...(made.strict !== undefined && { strict: made.strict }),
      clock: made.clock,
    };
  }

  async #commits(): Promise<BundledCommit[]> {
    const { history, callOf } = this.#moment;
    const commits: BundledCommit[] = [];
    for (const [index, { time, generator, written }] of history.steps.entries()) {
      const position = history.position + index;
      if (position < this.#from) continue;
      if (Array.isArray(written)) {
        const rows = written as readonly RowChange[];
        const call = rows.length > 0 ? callOf.get(rows[0]!) : undefined;
        const changes = rows.map(({ collection, id, after }) => ({
          collection,
          id,
          row: after ? (this.#row(after) as Row) : null,
        }));
        commits.push({ time, generator, ...(call !== undefined && { call }), changes });
      } else {
        const state = await this.#context.environment.moments.stateAt(position + 1);
        commits.push({ time, generator, base: await this.#collections(state), changes: [] });
      }
      await this.#pause();
    }
    return commits;
  }

  async #calls(firstSurroundings: number): Promise<Bundle['calls']> {
    const calls: Bundle['calls'] = [];
    for (const entry of this.#moment.entries) {
      if (entry.end && entry.end.position >= this.#from)
        calls.push(bundledCall(entry, this.#standIns, firstSurroundings));
      await this.#pause();
    }
    return calls.slice(-LIMITS.calls);
  }

  async #collections({ fixture, layers }: SavedState): Promise<Collections> {
    const copied: Record<string, Row[]> = {};
    for (const [name, rows] of Object.entries(fixture.collections(layers))) {
      const copies: Row[] = [];
      for (const row of rows) {
        copies.push(this.#row(row) as Row);
        await this.#pause();
      }
      copied[name] = copies;
    }
    return copied;
  }

  #row(row: object): object {
    let copy = this.#rows.get(row);
    if (!copy) {
      copy = Redaction.withStandIns(this.#standIns.standIn, row).value(row) as object;
      this.#rows.set(row, copy);
    }
    return copy;
  }

  async #surroundings({ position, generator, clock, counted, scenarios }: Surroundings) {
    const tablesThen = async () =>
      tablesAt(
        await this.#context.environment.moments.stateAt(Math.max(position, this.#moment.history.position)),
      );
    const index = await this.#scenarios.indexOf(scenarios, tablesThen);
    return { position, generator, clock, counted, scenarios: index };
  }

  async #pause(): Promise<void> {
    this.#copied += 1;
    if (this.#copied % PIECE === 0) await nextTurn();
  }
}
