import { unchecked } from '../../client/control.ts';
import { UsageError } from '../explain.ts';
import type { Session } from './connect.ts';
import { clockLine } from './lines.ts';

export async function showClock({ environment, print }: Session): Promise<void> {
  const clock = await environment.clock.get();
  print(clock, clockLine(clock));
}

export async function advanceClock({ environment, print }: Session, by: string): Promise<void> {
  const clock = await environment.clock.advance(unchecked(by));
  print(clock, clockLine(clock));
}

export async function freezeClock({ environment, print }: Session, at?: string): Promise<void> {
  const clock = await environment.clock.freeze(at);
  print(clock, clockLine(clock));
}

const OFFSET = /^now([+-].+)$/;

/** `to`: `real` for the time of the machine, or an offset from it such as `now-14d`. */
export async function setClock({ environment, print }: Session, to: string): Promise<void> {
  const [, offset] = OFFSET.exec(to) ?? [];
  if (offset === undefined && to !== 'real')
    throw new UsageError(
      `${to} must be real, or an offset such as now-14d; \`clock freeze\` stops the clock at a time`,
    );
  const clock = await environment.clock.set(
    offset === undefined
      ? { mode: 'real' }
      : { mode: 'offset', offset: unchecked(offset.replace(/^\+/, '')) },
  );
  print(clock, clockLine(clock));
}
