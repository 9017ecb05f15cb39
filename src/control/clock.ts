import { invalidArgument } from '../errors.ts';
import type { ClockSettings } from '../environment/clock.ts';
import { timelineOf, type TimelineItem } from '../environment/timeline.ts';
import { parseDuration } from '../text/duration.ts';
import type { ControlOperations } from './handler.ts';

export const clock = {
  Control_GetClock(_, { environment }) {
    return environment.clock.view();
  },

  Control_GetTimeline({ query }, { environment }) {
    const { tables, clock } = environment;
    const now = clock.now();
    const { due, expired } = timelineOf(tables, now);
    const { limit = 100 } = query;
    return {
      now: new Date(now).toISOString(),
      due: due.slice(0, limit).map(timelineView),
      expired: expired.slice(0, limit).map(timelineView),
      counts: { due: due.length, expired: expired.length },
    };
  },

  Control_SetClock({ body }, { environment }) {
    environment.setClock(readClock(body));
    return environment.clock.view();
  },

  Control_AdvanceClock({ body }, { environment }) {
    environment.advance(parseDuration(body.by) ?? 0);
    return environment.clock.view();
  },
} satisfies Partial<ControlOperations>;

const timelineView = ({ at, ...item }: TimelineItem) => ({ at: new Date(at).toISOString(), ...item });

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
    throw invalidArgument('at: a real clock takes no time; use frozen or offset');
  if (offset !== undefined && mode !== 'offset')
    throw invalidArgument(`offset: a ${mode} clock has none; use offset`);
  if (mode === 'offset' && (at === undefined) === (offset === undefined)) {
    throw invalidArgument('an offset clock takes either at or offset');
  }
  const sign = offset?.startsWith('-') ? -1 : 1;
  const distance = offset === undefined ? undefined : parseDuration(offset.replace('-', ''));
  return {
    mode,
    ...(at !== undefined && { at }),
    ...(distance !== undefined && { offset_ms: sign * distance }),
  };
}
