import { invalidArgument } from '../contract/errors.ts';
import { readClock, type ClockSettings, type WrittenClock } from '../state/clock.ts';
import { runInTurns } from '../scenarios/steps.ts';
import { timelineOf } from '../state/timeline.ts';
import { parseDuration } from '@understudy/text/duration';
import type { ControlOperations } from './handler.ts';

export const clock = {
  Control_GetClock(_, { environment }) {
    return environment.clock.view();
  },

  async Control_GetTimeline({ query }, { environment }) {
    const now = environment.clock.now();
    const timeline = await runInTurns(timelineOf(environment.tablesNow(), now, query.limit ?? 100));
    return { now: new Date(now).toISOString(), ...timeline };
  },

  async Control_SetClock({ body }, { environment }) {
    environment.setClock(checkedClock(body));
    await environment.settled();
    return environment.clock.view();
  },

  async Control_AdvanceClock({ body }, { environment }) {
    environment.advance(parseDuration(body.by) ?? 0);
    await environment.settled();
    return environment.clock.view();
  },
} satisfies Partial<ControlOperations>;

/** The settings of a clock. Throws `invalid_argument` for fields that the mode does not use. */
export function checkedClock(written: WrittenClock): ClockSettings {
  const { mode, at, offset } = written;
  if (at !== undefined && mode === 'real')
    throw invalidArgument('at: the mode real follows the machine and takes no time; use frozen or offset');
  if (offset !== undefined && mode !== 'offset')
    throw invalidArgument(`offset: the mode ${mode} takes no offset; use the mode offset`);
  if (mode === 'offset' && (at === undefined) === (offset === undefined)) {
    throw invalidArgument('an offset clock takes either at or offset');
  }
  return readClock(written);
}
