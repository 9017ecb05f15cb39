import { traceLines } from '@understudy/client/trace-lines';
import { latestCall } from './explain-call.ts';
import type { Session } from './session.ts';

/** Prints a call with all that it caused. Without an id: the latest call that failed, or else the latest. */
export async function traceCall({ environment, print }: Session, id?: string): Promise<void> {
  const trace = await environment.requests.trace(id ?? (await latestCall(environment)).id);
  print(trace, traceLines(trace));
}
