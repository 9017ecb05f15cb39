import { counted } from '@understudy/text/words';
import { isObject } from '@understudy/text/json';
import { evidenceIn, secondWrite } from '../evidence.ts';
import type { SuiteRun } from '../runs/suite.ts';

/** What an SDK did with a failure, in words: `throws X after 1 call`. */
export function behaviourIn(run: SuiteRun, rule: number): string {
  const evidence = run.tests.map((test) => evidenceIn(test, rule)).find((each) => each !== undefined);
  if (!evidence) return 'makes no such call';
  const { met, again } = evidence;
  const calls = counted(1 + again.length, 'call');
  const pauses = again.map((call, index) => Math.max(0, call.start - (again[index - 1] ?? met).end));
  const waited = pauses.length > 0 ? `, pauses ${pauses.map(seconds).join(', ')}` : '';
  if (run.stopped) return `still waits after ${seconds(run.duration)} (${calls}${waited})`;
  const error = errorIn(run.output);
  return `${error === undefined ? 'succeeds' : `throws ${error}`} after ${calls}${waited}${secondWrite(evidence) ? ', and writes twice' : ''}`;
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

/** The error that the program has printed, or how it ended without a line of its own; undefined if the call succeeded. */
function errorIn(output: string): string | undefined {
  for (const line of output.split('\n').toReversed())
    try {
      const value: unknown = JSON.parse(line);
      if (isObject(value)) return typeof value['error'] === 'string' ? value['error'] : undefined;
    } catch {
      // A line of something else.
    }
  return 'an error that nothing catches';
}
