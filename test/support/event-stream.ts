import { onTestFinished } from 'vitest';

interface Event {
  id: number;
  event: string;
  data: Record<string, unknown>;
}

/** Follows a stream; it is open when this resolves. */
export async function follow(url: string, headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(url, { headers, signal: leaving.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const events: Event[] = [];
  return { response, leave: () => leaving.abort(), until, toEnd: () => until(() => false) };

  /** All events up to the first that is wanted, or to the end. */
  async function until(isWanted: (event: Event) => boolean): Promise<Event[]> {
    for (;;) {
      const at = events.findIndex(isWanted);
      if (at >= 0) return events.splice(0, at + 1);
      const { value, done } = await reader.read();
      if (done) return events.splice(0);
      const pieces = (text + value).split('\n\n');
      text = pieces.pop()!;
      events.push(...pieces.flatMap(eventIn));
    }
  }
}

function eventIn(piece: string): Event[] {
  const fields = Object.fromEntries(piece.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
  if (fields['event'] === undefined) return [];
  return [{ id: Number(fields['id']), event: fields['event'], data: JSON.parse(fields['data']) }];
}
