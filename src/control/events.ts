import { uptime } from '../state/clock.ts';
import type { Environment } from '../environment/environment.ts';
import { SharedFeed, type SharedEvent } from '../environment/activity-feed.ts';
import { StreamReply, type ControlOperations } from './handler.ts';

const HEARTBEAT = 15_000;

export const events = {
  Control_FollowEvents({ query, headers }, context) {
    const { signal, simulator } = context;
    const kinds = query.kinds === undefined ? undefined : new Set(query.kinds.split(','));
    if (query.environments === 'all') {
      const all = followAll(new SharedFeed(simulator.environments), { kinds, signal });
      return new StreamReply('text/event-stream', all);
    }
    const { environment } = context;
    const { feed } = environment; // Keeps every event from now on.
    const from = Math.min(Number(headers['last-event-id'] ?? Infinity), feed.last);
    return new StreamReply('text/event-stream', follow(environment, { from, kinds, signal }));
  },
} satisfies Partial<ControlOperations>;

interface FollowOptions {
  /** Number of the last event that the caller has. */
  from: number;
  /** undefined: all kinds. */
  kinds: ReadonlySet<string> | undefined;
  signal: AbortSignal;
}

/** The reader asks for each chunk. So a slow reader blocks nobody, and no chunks wait for it in memory. */
async function* follow(
  environment: Environment,
  { from, kinds, signal }: FollowOptions,
): AsyncGenerator<string> {
  const { feed, activity, log, name } = environment;
  yield `: what happens in environment ${name}\nretry: 1000\n\n`;
  for (let known = from; !signal.aborted;) {
    const { events, missed } = feed.after(known);
    await log.kept();
    if (missed > 0) yield `event: missed\ndata: {"count":${missed}}\n\n`;
    for (const { number, kind, data } of events) {
      if (!kinds || kinds.has(kind) || kind === 'end')
        yield `id: ${number}\nevent: ${kind}\ndata: ${data}\n\n`;
      known = number;
    }
    if (activity.endReason && known === feed.last) return;
    if (await feed.more(known, HEARTBEAT, signal)) continue;
    environment.lastUse = uptime();
    yield ': keep-alive\n\n';
  }
}

type FollowAllOptions = Omit<FollowOptions, 'from'>;

/** The events have no ids: a reader that reconnects starts from now. */
async function* followAll(feed: SharedFeed, { kinds, signal }: FollowAllOptions): AsyncGenerator<string> {
  try {
    yield ': what happens in every environment\nretry: 1000\n\n';
    while (!signal.aborted) {
      const taken = feed.take();
      const events = await storedOf(taken.events);
      const missed = taken.missed + taken.events.length - events.length;
      if (missed > 0) yield `event: missed\ndata: {"count":${missed}}\n\n`;
      for (const { kind, data } of events)
        if (!kinds || kinds.has(kind) || kind === 'end') yield `event: ${kind}\ndata: ${data}\n\n`;
      if (events.at(-1)?.kind === 'end') return;
      if (!(await feed.more(HEARTBEAT, signal))) yield ': keep-alive\n\n';
    }
  } finally {
    feed.close();
  }
}

/** Without the events of environments whose changes will never be stored. */
async function storedOf(events: readonly SharedEvent[]): Promise<readonly SharedEvent[]> {
  const unstored = new Set<Environment>();
  for (const environment of new Set(events.map(({ of }) => of)))
    await environment.log.kept()?.catch(() => unstored.add(environment));
  return unstored.size === 0 ? events : events.filter(({ of, kind }) => !unstored.has(of) || kind === 'end');
}
