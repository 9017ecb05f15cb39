import type { Rest } from '../store/storage.ts';
import { uptime } from './clock.ts';
import type { Credentials } from './credentials.ts';
import { dueCallsOf } from './due-calls.ts';
import type { Environment } from './environment.ts';
import { countRows } from './rows/cascade.ts';

/** What a list shows of an environment that rests. */
export interface RestSummary {
  /** The credentials follow from it. */
  seed: number;
  /** Milliseconds since 1970 by the machine's clock. */
  created: number;
  rows: number;
}

/** A stored environment that no process has open. */
export interface RestingView extends RestSummary {
  name: string;
  credentials: Credentials;
  /** Milliseconds since somebody used it. */
  idle: number;
}

/** Whether the environment would be the same after a rest, and nothing happens in it for so many milliseconds. */
export const mayRest = (environment: Environment, shortest: number): boolean =>
  environment.log.isStored &&
  environment.callsUnderWay === 0 &&
  !hasPartsInMemory(environment) &&
  dueIn(environment) > shortest;

export const restOf = (environment: Environment): Rest => ({
  dueIn: dueIn(environment),
  idle: uptime() - environment.lastUse,
  isTemporary: environment.isTemporary,
  summary: summaryOf(environment),
});

/** Whether it has something that the store does not keep: loaded scenarios, snapshots, or the start of a fork. */
const hasPartsInMemory = ({ made, scenarios, snapshots }: Environment): boolean =>
  made.isFork === true || scenarios.list().length > 0 || snapshots.list().length > 0;

const summaryOf = ({ made, created, tables }: Environment): RestSummary => ({
  seed: made.seed,
  created,
  rows: countRows(tables),
});

/** Milliseconds until a row expires or a call is sent; Infinity: time changes nothing. */
function dueIn({ tables, clock, nextDeadline }: Environment): number {
  if (dueCallsOf(tables).length > 0) return 0;
  if (clock.isFrozen || nextDeadline === undefined) return Infinity;
  return Math.max(0, nextDeadline - clock.now());
}
