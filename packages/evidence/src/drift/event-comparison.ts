import type { Exchange } from '../recordings/exchange.ts';
import { isObject } from '@understudy/text/json';
import type { Difference } from './difference.ts';
import type { ReceivedEvent } from './stage.ts';
import { ValueComparison, type Basis } from './value-comparison.ts';

/** An event of the recording, or of Understudy alone, and what differs. */
interface ComparedEvent {
  type: string;
  exchange?: number;
  differences: Difference[];
  noise: ReadonlyMap<string, number>;
}

interface RecordedEvent {
  n: number;
  type: string;
  payload: unknown;
}

/** The events that the service sent. Repetitions of a delivery count once. */
function eventsIn(exchanges: readonly Exchange[]): RecordedEvent[] {
  const seen = new Set<string>();
  return exchanges.flatMap(({ n, protocol, request: { json, headers } }) => {
    const type = isObject(json) ? json['type'] : undefined;
    if (protocol !== 'webhook' || typeof type !== 'string') return [];
    const id = [headers['webhook-id']].flat()[0] ?? String(n);
    if (seen.has(id)) return [];
    seen.add(id);
    return [{ n, type, payload: json }];
  });
}

/** Each event of the recording with the event of Understudy that has the same type and differs least. */
export function compareEvents(
  exchanges: readonly Exchange[],
  ours: readonly ReceivedEvent[],
  basis: Basis,
): ComparedEvent[] {
  const theirs = eventsIn(exchanges);
  // Without a single event, the recording had no receiver.
  if (theirs.length === 0) return [];
  const left = new Set(ours);
  const compared = theirs.map((event): ComparedEvent => {
    const match = nearest(event, [...left], basis);
    if (!match) return { ...named(event), differences: [missingIn(event.type)], noise: new Map() };
    left.delete(match);
    const values = new ValueComparison(basis);
    values.compare(
      { at: 'event', schema: basis.places.ofEvent(event.type) },
      { theirs: event.payload, ours: match.payload },
    );
    return { ...named(event), differences: values.found.all, noise: values.found.noise };
  });
  const types = new Set(theirs.map(({ type }) => type));
  const further = [...left].map(({ type }): ComparedEvent => ({
    type,
    differences: [unsent(type, types.has(type))],
    noise: new Map(),
  }));
  return [...compared, ...further];
}

const named = ({ n, type }: RecordedEvent) => ({ type, exchange: n });

function nearest(
  { type, payload }: RecordedEvent,
  ours: readonly ReceivedEvent[],
  basis: Basis,
): ReceivedEvent | undefined {
  let best: { event: ReceivedEvent; cost: number } | undefined;
  for (const event of ours) {
    if (event.type !== type) continue;
    const trial = new ValueComparison(basis, true);
    trial.compare({ at: '' }, { theirs: payload, ours: event.payload });
    const identity = trial.found.all.filter(({ kind }) => kind === 'identity').length;
    const cost = identity * 100 + trial.found.all.length;
    if (!best || cost < best.cost) best = { event, cost };
    if (cost === 0) break;
  }
  return best && best.cost < 100 ? best.event : undefined;
}

const missingIn = (type: string): Difference => ({
  verdict: 'drift',
  kind: 'event added',
  severity: 'notable',
  at: type,
  message: `the service sends ${type}, and Understudy does not`,
});

/** A receiver may listen to some types only: about the others, the recording says nothing. */
const unsent = (type: string, isHeard: boolean): Difference => ({
  verdict: isHeard ? 'drift' : 'unknown',
  kind: 'event missing',
  severity: 'breaking',
  at: type,
  message: isHeard
    ? `Understudy sends ${type}, and the service did not`
    : `Understudy sends ${type}, and the recording has no event of this type: perhaps its receiver does not listen to it`,
});
