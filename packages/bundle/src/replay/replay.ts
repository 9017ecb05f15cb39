import { embed } from '@understudy/core/cli/serve';
import type { Controls } from '@understudy/core/control/handler';
import { placeOf } from '@understudy/core/control/requests';
import type { Environment } from '@understudy/core/environment/environment';
import type { Entry } from '@understudy/core/journal/entry';
import { serve } from '@understudy/core/pipeline/serve';
import type { RowChange } from '@understudy/core/state/env';
import { explain } from '@understudy/core/why/why';
import { SETTINGS } from '../embedded.ts';
import type { Bundle, BundledCommit } from '../format.ts';
import { restoreBundle } from '../restore.ts';
import { differenceBetween, type AnswerDifference } from './comparison.ts';
import { Correspondence } from './correspondence.ts';
import { obstacleOf, sentCall } from './sent-call.ts';

export interface ReplayResult {
  /** How many calls were made and compared. */
  compared: number;
  /** Calls that cannot be made again. */
  skipped: { id: string; reason: string }[];
  /** Undefined: all answers are equal. */
  difference?: ReplayDifference;
}

export interface ReplayDifference extends AnswerDifference {
  call: Pick<Entry, 'id' | 'method' | 'path' | 'operation'>;
  /** One sentence each: why the call got its answer. */
  whyWas: string;
  whyIs: string;
}

/** Makes the calls of the bundle again, in this process, until an answer differs. */
export async function replayBundle(bundle: Bundle): Promise<ReplayResult> {
  const seed = bundle.environment.seed;
  const [then, now] = [
    await embed({ ...SETTINGS, seed }, () => {}),
    await embed({ ...SETTINGS, seed }, () => {}),
  ];
  try {
    const recorded = await restoreBundle(bundle, then.controls);
    const { start } = bundle;
    const beginning = { ...bundle, commits: [], calls: [], surroundings: [start] };
    const living = await restoreBundle(beginning, now.controls);
    living.journal.reset();
    return await new Replay(bundle, {
      recorded,
      living,
      controls: now.controls,
      recorder: then.controls,
    }).run();
  } finally {
    await Promise.all([then.stop(), now.stop()]);
  }
}

interface Sides {
  /** The environment of the bundle, at its end, and another one that makes its calls again. */
  recorded: Environment;
  living: Environment;
  recorder: Controls;
  controls: Controls;
}

/** A call of the bundle, in the order in which the calls were answered. */
interface Turn {
  entry: Entry;
  /** How many commits the environment had before the call, and after it. */
  from: number;
  to: number;
  /** When its rows were written or, if it wrote none, when it came. */
  time: number;
}

/** By the clock of a machine, an answer takes some milliseconds. */
const RUNNING_CLOCK = 50;

class Replay {
  readonly #bundle: Bundle;
  readonly #sides: Sides;
  readonly #known: Correspondence;
  readonly #result: ReplayResult = { compared: 0, skipped: [] };
  /** Where the living environment is in the history; undefined: nowhere. */
  #reached: { position: number; surroundings: number } | undefined;

  constructor(bundle: Bundle, sides: Sides) {
    this.#bundle = bundle;
    this.#sides = sides;
    this.#known = new Correspondence(bundle.stand_ins);
  }

  async run(): Promise<ReplayResult> {
    for (const turn of turnsOf(this.#bundle, this.#sides.recorded)) {
      const obstacle = obstacleOf(turn.entry);
      if (obstacle === undefined) {
        const difference = await this.#take(turn);
        if (difference) return { ...this.#result, difference };
      } else this.#skip(turn, obstacle);
    }
    return this.#result;
  }

  #skip({ entry: { id } }: Turn, reason: string): void {
    this.#result.skipped.push({ id, reason });
    this.#reached = undefined;
  }

  async #take(turn: Turn): Promise<ReplayDifference | undefined> {
    const { recorded, living, controls } = this.#sides;
    const { entry, from, to } = turn;
    await living.settled();
    if (!this.#isReached(turn)) await this.#restore(turn);
    living.setClock({ mode: 'frozen', at: new Date(turn.time).toISOString() });
    const secret = this.#unknownSecret(entry, from);
    const { name, base_url: baseUrl } = this.#bundle.environment;
    const before = living.journal.list().at(-1)?.id;
    await serve(sentCall(entry, this.#known, { environment: name, baseUrl }), controls.simulator);
    const [answered] = living.journal.list(before);
    if (!answered) throw new Error(`${entry.id} was made again, and the journal does not have it`);
    const found = differenceBetween(entry, answered, this.#known, this.#tolerance(entry));
    this.#learn(entry.changes, answered.changes);
    this.#reached = { position: to, surroundings: entry.end!.surroundings };
    if (found && secret !== undefined) {
      this.#skip(turn, 'it has a secret that the bundle does not have');
      return undefined;
    }
    this.#result.compared += 1;
    if (!found) return undefined;
    const { id, method, path, operation } = entry;
    return {
      ...found,
      call: { id, method, path, operation },
      whyWas: whyOf(entry, recorded, this.#sides.recorder),
      whyIs: whyOf(answered, living, controls),
    };
  }

  #isReached({ entry: { start }, from }: Turn): boolean {
    const { position, surroundings } = this.#reached ?? {};
    return position === from && surroundings === start?.surroundings;
  }

  /** Something else than a call has changed the environment, or the latest call could not be made again. */
  async #restore({ entry, from, time }: Turn): Promise<void> {
    const { recorded, living } = this.#sides;
    const end = entry.start && { ...entry.start, position: from };
    const point = await recorded.moments.pointAt(from, end);
    if (!point) return;
    living.savePoints.restore({ ...point, clock: { mode: 'frozen', at: new Date(time).toISOString() } });
    this.#known.forgetRows();
  }

  /** A stand-in that no answer and no row has told, such as the code of an authenticator app. */
  #unknownSecret({ headers, query, body }: Entry, from: number): string | undefined {
    const sent = JSON.stringify([query, body, headers['cookie']]);
    const unknown = this.#known.unknownIn(sent);
    if (unknown.length === 0) return undefined;
    const rows = JSON.stringify([this.#sides.living.collections(), from]);
    return unknown.find((each) => !rows.includes(each));
  }

  /** Rows have codes and secrets that no answer shows. */
  #learn(then: readonly RowChange[], now: readonly RowChange[]): void {
    for (const [index, { collection, after }] of then.entries()) {
      const other = now[index];
      if (other?.collection === collection) learnFrom(after, other.after, this.#known);
    }
  }

  #tolerance({ duration }: Entry) {
    const isFrozen = this.#bundle.surroundings.every(({ clock }) => clock.mode === 'frozen');
    const isOther = this.#bundle.understudy !== this.#sides.controls.version;
    return { time: isFrozen ? 0 : RUNNING_CLOCK + duration, messages: isOther };
  }
}

function learnFrom(then: unknown, now: unknown, known: Correspondence): void {
  if (typeof then === 'string' && typeof now === 'string') return void known.match(then, now);
  if (typeof then !== 'object' || typeof now !== 'object' || then === null || now === null) return;
  for (const [name, member] of Object.entries(then))
    learnFrom(member, (now as Record<string, unknown>)[name], known);
}

const whyOf = (entry: Entry, environment: Environment, { simulator }: Controls): string =>
  explain(entry, placeOf({ environment, ...simulator })).summary;

/** Calls that other calls made are made again by those. */
function turnsOf({ start, commits }: Bundle, { journal }: Environment): Turn[] {
  const written = new Map<number, { from: number; to: number; commit: BundledCommit }>();
  for (const [index, commit] of commits.entries()) {
    if (commit.call === undefined) continue;
    const { from, commit: first } = written.get(commit.call) ?? { from: start.position + index, commit };
    written.set(commit.call, { from, to: start.position + index + 1, commit: first });
  }
  const turns = journal.list().flatMap((entry): Turn[] => {
    const { number, end, madeBy, time } = entry;
    if (!end || madeBy !== undefined) return [];
    const own = written.get(number);
    return [
      own ? { entry, ...own, time: own.commit.time } : { entry, from: end.position, to: end.position, time },
    ];
  });
  return turns.toSorted((a, b) => a.from - b.from || a.to - b.to || a.entry.number - b.entry.number);
}
