/** Something that happened in an environment; `data` depends on the kind. */
export interface ControlEvent {
  id: string;
  kind: string;
  data: unknown;
}

/** Parses server-sent events. Leaving the loop closes the connection. */
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

/** Comments, which keep the connection open, contain no event. */
function eventIn(block: string): ControlEvent[] {
  const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const valueOf = (name: string) =>
    lines.flatMap((line) => (line?.[1] === name ? [line[2]!] : [])).join('\n');
  const data = valueOf('data');
  return data === ''
    ? []
    : [{ id: valueOf('id'), kind: valueOf('event'), data: JSON.parse(data) as unknown }];
}
