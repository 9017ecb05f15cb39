import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { onTestFinished } from 'vitest';

interface Event {
  id: number;
  event: string;
  data: Record<string, unknown>;
}

/** Opens an event stream; resolves when the response has begun. */
export async function follow(url: string, headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(url, { headers, signal: leaving.signal });
  const text = response.body!.pipeThrough(new TextDecoderStream());
  const reader = text.pipeThrough(new EventSourceParserStream()).getReader();
  return { response, leave: () => leaving.abort(), until, toEnd: () => until(() => false) };

  /** All events up to the first that `isWanted` accepts, or to the end of the stream. */
  async function until(isWanted: (event: Event) => boolean): Promise<Event[]> {
    const events: Event[] = [];
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const event = eventOf(read.value);
      events.push(event);
      if (isWanted(event)) break;
    }
    return events;
  }
}

const eventOf = ({ id, event = '', data }: EventSourceMessage): Event => ({
  id: Number(id),
  event,
  data: JSON.parse(data) as Event['data'],
});
