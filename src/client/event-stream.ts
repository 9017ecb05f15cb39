/** Something that happened in an environment; `data` is what its kind has. */
export interface ControlEvent {
  id: string;
  kind: string;
  data: unknown;
}

/** Server-sent events as they come. Leaving the loop ends the connection. */
export async function* eventsOf(response: Response): AsyncGenerator<ControlEvent, void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield* eventIn(block);
    }
  } finally {
    await reader.cancel();
  }
}

/** None in a block of comments, which keep the connection open. */
function eventIn(block: string): ControlEvent[] {
  const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const valueOf = (name: string) =>
    lines.flatMap((line) => (line?.[1] === name ? [line[2]!] : [])).join('\n');
  const data = valueOf('data');
  return data === ''
    ? []
    : [{ id: valueOf('id'), kind: valueOf('event'), data: JSON.parse(data) as unknown }];
}
