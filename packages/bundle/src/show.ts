import { once } from 'node:events';
import type { Terminal } from '@understudy/core/parts';
import type { Bundle } from './format.ts';
import { openBundle } from './open.ts';

/** Serves the dashboard until Ctrl+C. */
export async function show(
  file: string,
  port: number,
  { out }: Terminal,
  interruption: AbortSignal,
): Promise<void> {
  const { bundle, page, close } = await openBundle(file, { port });
  out(`${linesOf(bundle).join('\n')}\n${page}\n`);
  if (!interruption.aborted) await once(interruption, 'abort');
  await close();
}

/** What the file is, for somebody who got it from somebody else. */
function linesOf({ test, calls, environment, understudy, made }: Bundle): string[] {
  const { test: name, file, failure } = test ?? {};
  return [
    ...(name === undefined ? [] : [file === undefined || file === '' ? name : `${name} (${file})`]),
    ...(failure ? failure.split('\n').map((line) => `  ${printable(line)}`) : []),
    `environment ${environment.name}, ${calls.length} calls, written by Understudy ${understudy} at ${made}`,
  ].map(printable);
}

/** A file from elsewhere must not control the terminal. */
// oxlint-disable-next-line no-control-regex -- these characters are meant
const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
