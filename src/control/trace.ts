import { runInTurns } from '../scenarios/steps.ts';
import { History } from '../why/history.ts';
import { callOf, noCallOf } from '../why/origin.ts';
import { traceOf } from '../why/trace.ts';
import type { ControlOperations } from './handler.ts';

export const trace = {
  async Control_GetTrace({ path }, { environment }) {
    const history = new History(() => environment.journal.list());
    const entry = await runInTurns(callOf(path.id, { environment, history }));
    if (!entry) throw noCallOf(path.id, environment);
    return runInTurns(traceOf(entry, { environment }));
  },
} satisfies Partial<ControlOperations>;
