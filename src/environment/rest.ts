import type { Rest, RestingEnvironment } from '../store/storage.ts';
import { uptime } from '../state/clock.ts';
import type { Credentials } from '../state/credentials.ts';
import { dueCallsOf } from '../webhooks/due-calls.ts';
import type { Environment } from './environment.ts';
import { countRows } from '../state/cascade.ts';

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
  environment.log.isStored && environment.callsUnderWay === 0 && dueIn(environment) > shortest;

export const restOf = (environment: Environment): Rest => ({
  dueIn: dueIn(environment),
  idle: uptime() - environment.lastUse,
  isTemporary: environment.made.temporary === true,
  summary: summaryOf(environment),
});

const summaryOf = ({ made, created, tables }: Environment): RestSummary => ({
  seed: made.seed,
  created,
  rows: countRows(tables),
});

/** Milliseconds until a row expires or a call is sent; Infinity: time changes nothing. */
function dueIn({ tables, clock, nextDeadline }: Environment): number {
  if (dueCallsOf(tables).length > 0) return 0;
  return clock.isFrozen ? Infinity : Math.max(0, nextDeadline - clock.now());
}

/** `credentialsOf`: those of an environment with this name and seed. */
export function restingView(
  { name, idle, summary }: RestingEnvironment,
  credentialsOf: (name: string, seed: number) => Credentials,
): RestingView {
  const kept = summary as RestSummary;
  return { ...kept, name, idle, credentials: credentialsOf(name, kept.seed) };
}
