import { EventSourceParserStream } from 'eventsource-parser/stream';

/** Something that happened in an environment; `data` depends on the kind. */
export interface ControlEvent {
  id: string;
  kind: string;
  data: unknown;
}

/** Parses server-sent events. Leaving the loop closes the connection. */
export async function* eventsOf(response: Response): AsyncGenerator<ControlEvent, void> {
  const text = response.body!.pipeThrough(new TextDecoderStream());
  const reader = text.pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const { id = '', event: kind = '', data } = read.value;
      yield { id, kind, data: JSON.parse(data) as unknown };
    }
  } finally {
    await reader.cancel();
  }
}
