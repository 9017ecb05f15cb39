import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ConnectionError, ControlError } from '@understudy/client/control';
import { environment, listen } from './session.ts';

/** What a page shows: loaded when it opens, and again after events of these kinds. */
interface Data<T> {
  value: T | undefined;
  error: string | undefined;
  reload: () => void;
}

/** Many events within this time, in milliseconds, cause one reload. */
const CALM = 150;
/** The pause between two reads, as a multiple of how long the last one took. So a large page does not keep the server busy. */
const REST = 5;
/** In milliseconds: a page is never older than this. */
const LONGEST_REST = 10_000;

/** Loads `load()` now, whenever one of `keys` changes, and soon after each event of `kinds` (every kind when empty). */
export function useData<T>(load: () => Promise<T>, kinds: readonly string[], ...keys: unknown[]): Data<T> {
  const value = useSignal<T | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  const shown = environment.value;
  // Answers may overtake each other: an answer older than the one that is shown is dropped.
  const reads = useRef({ begun: 0, shown: 0, running: 0, lasted: 0, endedAt: 0 }).current;
  const read = async () => {
    const number = (reads.begun += 1);
    const begunAt = performance.now();
    reads.running += 1;
    const [loaded, complaint] = await load().then(
      (answer) => [answer, undefined] as const,
      (thrown: unknown) => [value.peek(), messageOf(thrown)] as const,
    );
    reads.running -= 1;
    reads.endedAt = performance.now();
    reads.lasted = reads.endedAt - begunAt;
    if (number < reads.shown) return;
    reads.shown = number;
    value.value = loaded;
    error.value = complaint;
  };
  useEffect(() => {
    // Answers to earlier reads belong to other keys.
    reads.shown = reads.begun + 1;
    value.value = undefined;
    void read();
    return afterEvents(kinds, reads, () => void read());
  }, [shown, ...keys]);
  return { value: value.value, error: error.value, reload: () => void read() };
}

/** In milliseconds: who types makes no longer pauses between two letters. */
const TYPING = 200;

/** The text that is typed, once it has not changed for a moment. */
export function useCalm(typed: string): string {
  const calm = useSignal(typed);
  useEffect(() => {
    const timer = setTimeout(() => (calm.value = typed), TYPING);
    return () => clearTimeout(timer);
  }, [typed]);
  return calm.value;
}

interface Reads {
  /** How many reads have no answer yet. */
  running: number;
  /** How long the last one took, in milliseconds. */
  lasted: number;
  /** When it ended. */
  endedAt: number;
}

/** Calls the function soon after events of these kinds, but never while it still reads. */
function afterEvents(kinds: readonly string[], reads: Reads, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (time: number) => {
    timer = setTimeout(() => {
      timer = undefined;
      if (reads.running > 0) wait(CALM);
      else run();
    }, time);
  };
  const stop = listen(({ kind }) => {
    if (kind !== 'start' && kind !== 'reset' && kinds.length > 0 && !kinds.includes(kind)) return;
    const rest = Math.min(REST * reads.lasted, LONGEST_REST) - (performance.now() - reads.endedAt);
    if (timer === undefined) wait(Math.max(CALM, rest));
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

/** Runs what a button does; what goes wrong is in `error`, until the next try. */
export interface Action {
  busy: Signal<boolean>;
  error: Signal<string | undefined>;
  run: (work: () => Promise<unknown>) => Promise<boolean>;
}

export function useAction(): Action {
  const busy = useSignal(false);
  const error = useSignal<string | undefined>(undefined);
  const run = async (work: () => Promise<unknown>) => {
    busy.value = true;
    error.value = undefined;
    try {
      await work();
      return true;
    } catch (thrown) {
      error.value = messageOf(thrown);
      return false;
    } finally {
      busy.value = false;
    }
  };
  return { busy, error, run };
}

/**
 * The server's message without its second line, which names a call that the reader did not make, and without places in a
 * request and a file that the reader did not write.
 */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof ConnectionError) return 'Understudy does not answer.';
  if (!(thrown instanceof ControlError)) return (thrown as Error).message;
  const said = thrown.message.split('\n').slice(0, -1).join('\n') || thrown.message;
  return said.replaceAll(/^request body:\d+:\d+: /gm, '').replaceAll(/ \(used in [^()]*\)$/gm, '');
}
