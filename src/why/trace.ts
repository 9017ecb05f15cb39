import { searchedTexts } from '../journal/entry-view.ts';
import type { Entry } from '../journal/entry.ts';
import { Redaction } from '../journal/redaction.ts';
import type { Steps } from '../scenarios/steps.ts';
import type { Collection, Rows, Tables } from '../state/env.ts';
import { anyTable } from '../state/schema.ts';
import { dueOf } from '../state/timeline.ts';
import type { Place } from './answer.ts';
import { editsOf, type RowEdit } from './history.ts';
import { laterCalls, type LaterCall } from './later-calls.ts';
import { isAbout } from './origin.ts';

/** A call, or something that it caused. */
interface TraceStep {
  /** 0 for the call. The cause of a step is the nearest one above it with a smaller depth. */
  depth: number;
  kind: 'call' | 'row' | 'event' | 'delivery' | 'attempt' | 'mail' | 'outgoing' | 'due';
  text: string;
  /** On the clock of the environment. */
  time?: string;
  machine_time?: string;
  /** As `collection/id`. */
  row?: string;
  call?: string;
}

interface Trace {
  call: string;
  environment: string;
  steps: TraceStep[];
  not_shown?: number;
}

const MOST_STEPS = 200;

/** A call with all that it caused, as far as rows and journal still say it. */
export function* traceOf(entry: Entry, place: Pick<Place, 'environment'>): Steps<Trace> {
  const { environment } = place;
  const steps = yield* new Tracer(entry, environment).steps();
  const surplus = steps.length - MOST_STEPS;
  return {
    call: entry.id,
    environment: environment.name,
    steps: steps.slice(0, MOST_STEPS),
    ...(surplus > 0 && { not_shown: surplus }),
  };
}

/** Collections that a trace shows as something else than rows. */
const OWN_STEPS: ReadonlySet<string> = new Set(['events', 'webhook_deliveries', 'mails', 'outgoing_calls']);

type Attempt = Rows['webhook_deliveries']['attempts'][number];

class Tracer {
  readonly #entry: Entry;
  readonly #environment: Place['environment'];
  readonly #tables: Tables;
  readonly #edits: readonly RowEdit[];
  #later = new Map<string, LaterCall[]>();

  constructor(entry: Entry, environment: Place['environment']) {
    this.#entry = entry;
    this.#environment = environment;
    this.#tables = environment.tables;
    this.#edits = editsOf(entry);
  }

  *steps(): Steps<TraceStep[]> {
    const { journal } = this.#environment;
    const entries = journal.list();
    const created = this.#edits.filter(({ change }) => change === 'created');
    this.#later = yield* laterCalls(this.#entry, created, entries, this.#created('mails'));
    const events = this.#created('events');
    const known = new Set(events.map(({ id }) => id));
    const others = this.#created('webhook_deliveries').filter(({ event_id }) => !known.has(event_id));
    const rows: TraceStep[] = [];
    for (const edit of this.#edits.filter(({ collection }) => !OWN_STEPS.has(collection))) {
      rows.push(...this.#row(edit));
      yield;
    }
    return [
      this.#call(0, this.#entry),
      ...rows,
      ...events.flatMap((event) => this.#event(1, event)),
      ...others.flatMap((delivery) => this.#delivery(1, delivery)),
      ...this.#created('mails').flatMap((mail) => this.#mail(mail)),
      ...this.#created('outgoing_calls').flatMap((call) => this.#outgoing(1, call)),
      ...entries.filter(({ madeBy }) => madeBy === this.#entry.id).map((made) => this.#call(1, made)),
    ];
  }

  /** The rows of the collection that the call created: as they are now, or else as the call left them. */
  #created<C extends Collection>(collection: C): Rows[C][] {
    return this.#edits
      .filter((edit) => edit.collection === collection && edit.change === 'created')
      .flatMap(({ id, after }) => ((anyTable(this.#tables, collection).find(id) ?? after) as Rows[C]) ?? []);
  }

  #call(depth: number, entry: Entry, did?: string): TraceStep {
    const { id, method, operation, status, time, began } = entry;
    const { redacts } = this.#environment.journal;
    const path = redacts ? searchedTexts(entry).path : entry.path;
    const name = operation === undefined ? '' : ` (${operation})`;
    return {
      depth,
      kind: 'call',
      text: `${method} ${path}${name} → ${status ?? 'no answer'}${did === undefined ? '' : `, which ${did}`}`,
      ...timesOf(time, began),
      call: id,
    };
  }

  #laterCalls(depth: number, row: string): TraceStep[] {
    return (this.#later.get(row) ?? []).map(({ entry, did }) => this.#call(depth, entry, did));
  }

  #row({ collection, id, change, after }: RowEdit): TraceStep[] {
    const row = `${collection}/${id}`;
    return [
      { depth: 1, kind: 'row', text: `${change} ${row}`, row },
      ...this.#due(collection as Collection, id, after),
      ...this.#laterCalls(2, row),
    ];
  }

  /** What time will do to the row that the call wrote, or has done, and what that caused. */
  #due(collection: Collection, id: string, after: object | undefined): TraceStep[] {
    const now = this.#environment.clock.now();
    const current = anyTable(this.#tables, collection).find(id);
    const planned = after && dueOf(collection, after, 0);
    const due = current && planned && dueOf(collection, current, now);
    // Another call may have changed the row, and with it what is due.
    if (!due || due.at !== planned.at) return [];
    const step: TraceStep = {
      depth: 2,
      kind: 'due',
      text: due.effect,
      time: due.at,
      row: `${collection}/${id}`,
    };
    return due.isOver ? [step, ...this.#causedAt(due.at, { ...current, id })] : [step];
  }

  /** What is due happens at its own time, so what it causes has that time. */
  #causedAt(at: string, row: { id: string }): TraceStep[] {
    const { events, outgoing_calls } = this.#tables;
    return [
      ...events
        .list()
        .filter((event) => event.occurred_at === at && isAbout(event, row))
        .flatMap((event) => this.#event(3, event)),
      ...outgoing_calls
        .list()
        .filter((call) => call.created_at === at && isAbout(call, row))
        .flatMap((call) => this.#outgoing(3, call)),
    ];
  }

  #event(depth: number, { id, type, occurred_at }: Rows['events']): TraceStep[] {
    const deliveries = this.#tables.webhook_deliveries.list('event_id', id);
    return [
      { depth, kind: 'event', text: `event ${type} (${id})`, time: occurred_at, row: `events/${id}` },
      ...deliveries.flatMap((delivery) => this.#delivery(depth + 1, delivery)),
    ];
  }

  #delivery(depth: number, delivery: Rows['webhook_deliveries']): TraceStep[] {
    const { id, endpoint_id, event_type, status, attempts, next_attempt_at, created_at } = delivery;
    const to = this.#tables.webhook_endpoints.find(endpoint_id)?.url ?? endpoint_id;
    const row = `webhook_deliveries/${id}`;
    return [
      {
        depth,
        kind: 'delivery',
        text: `delivery of ${event_type} to ${to}: ${status} (${id})`,
        time: created_at,
        row,
      },
      ...attempts.map((attempt, at) => attemptStep(depth + 1, attempt, at)),
      ...(next_attempt_at === undefined
        ? []
        : [{ depth: depth + 1, kind: 'due', text: 'the next attempt', time: next_attempt_at, row } as const]),
    ];
  }

  #mail(mail: Rows['mails']): TraceStep[] {
    const { id, kind, to, subject, time } = mail;
    const row = `mails/${id}`;
    // The subject of a sign-in has its code.
    const shown = this.#environment.journal.redacts ? new Redaction(mail).text(subject) : subject;
    return [
      { depth: 1, kind: 'mail', text: `mail ${kind} to ${to}: ${shown} (${id})`, time, row },
      ...this.#laterCalls(2, row),
    ];
  }

  #outgoing(
    depth: number,
    { id, kind, url, status, attempts, created_at }: Rows['outgoing_calls'],
  ): TraceStep[] {
    const row = `outgoing_calls/${id}`;
    return [
      { depth, kind: 'outgoing', text: `${kind} to ${url}: ${status} (${id})`, time: created_at, row },
      ...attempts.map((attempt, at) => attemptStep(depth + 1, attempt, at)),
    ];
  }
}

function attemptStep(depth: number, attempt: Attempt, at: number): TraceStep {
  const { time, machine_time, status, error = 'no answer', duration_ms } = attempt;
  return {
    depth,
    kind: 'attempt',
    text: `attempt ${at + 1} → ${status ?? error}, in ${duration_ms} ms`,
    time,
    ...(machine_time !== undefined && { machine_time }),
  };
}

const timesOf = (time: number, began: number) => ({
  time: new Date(time).toISOString(),
  machine_time: new Date(began).toISOString(),
});
