import { EVENT_EXAMPLES } from '../../contract/events.gen.ts';
import type { EventData, EventType } from '../../contract/types.ts';
import type { NewEvent } from '../../webhooks/events/event.ts';

type Examples = {
  readonly [T in EventType]: { occurred_at: string; organization_id?: string; data: EventData<T> };
};

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const moved = (time: string, by: number) => new Date(Date.parse(time) + by).toISOString();

let examples: Examples | undefined;

/** An event with the data of the contract's example, as if it happened now in this environment. */
export function sampleEvent(type: EventType, time: string, environment_id: string): NewEvent {
  examples ??= JSON.parse(EVENT_EXAMPLES) as Examples;
  const { occurred_at, organization_id, data } = examples[type];
  const by = Date.parse(time) - Date.parse(occurred_at);
  return {
    type,
    data: JSON.parse(JSON.stringify(data), (key, value: unknown) => {
      if (key === 'environment_id') return environment_id;
      return typeof value === 'string' && TIME.test(value) ? moved(value, by) : value;
    }),
    ...(organization_id !== undefined && { organization_id }),
    // The build pairs each type with its data, which the compiler cannot see.
  } as NewEvent;
}
