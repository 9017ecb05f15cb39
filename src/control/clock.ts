import { invalidArgument } from '../errors.ts';
import type { ClockSettings } from '../state/clock.ts';
import { timelineOf } from '../state/timeline.ts';
import { parseDuration, parseSignedDuration } from '../text/duration.ts';
import type { ControlOperations } from './handler.ts';

export const clock = {
  Control_GetClock(_, { environment }) {
    return environment.clock.view();
  },

  Control_GetTimeline({ query }, { environment }) {
    const { tables, clock } = environment;
    const now = clock.now();
    const { due, expired, counts } = timelineOf(tables, now, query.limit ?? 100);
    return {
      now: new Date(now).toISOString(),
      due,
      expired,
      counts,
    };
  },

  async Control_SetClock({ body }, { environment }) {
    environment.setClock(readClock(body));
    await environment.settled();
    return environment.clock.view();
  },

  async Control_AdvanceClock({ body }, { environment }) {
    environment.advance(parseDuration(body.by) ?? 0);
    await environment.settled();
    return environment.clock.view();
  },
} satisfies Partial<ControlOperations>;

interface WrittenClock {
  mode: ClockSettings['mode'];
  at?: string;
  offset?: string;
}

/**
 * Reads the settings of a clock: `offset` is a signed duration; fields that the mode does not use are errors.
 */
export function readClock({ mode, at, offset }: WrittenClock): ClockSettings {
  if (at !== undefined && mode === 'real')
    throw invalidArgument('at: the mode real follows the machine and takes no time; use frozen or offset');
  if (offset !== undefined && mode !== 'offset')
    throw invalidArgument(`offset: the mode ${mode} takes no offset; use the mode offset`);
  if (mode === 'offset' && (at === undefined) === (offset === undefined)) {
    throw invalidArgument('an offset clock takes either at or offset');
  }
  const distance = parseSignedDuration(offset ?? '');
  return {
    mode,
    ...(at !== undefined && { at }),
    ...(distance !== undefined && { offset_ms: distance }),
  };
}
