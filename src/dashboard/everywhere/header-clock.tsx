import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useData } from '../data.ts';
import { href } from '../route.ts';
import { environment } from '../session.ts';

const SAID = { real: '', offset: 'moved', frozen: 'stopped' } as const;

/** The time of the environment, and whether it differs from that of the machine. */
export function HeaderClock() {
  const { value } = useData(
    async () => ({ clock: await environment.value.clock.get(), readAt: performance.now() }),
    ['clock', 'snapshot'],
  );
  const tick = useSignal(0);
  const runs = value !== undefined && value.clock.mode !== 'frozen';
  useEffect(() => {
    if (!runs) return undefined;
    const timer = setInterval(() => (tick.value += 1), 1000);
    return () => clearInterval(timer);
  }, [runs]);
  void tick.value;
  if (!value) return null;
  const { now, mode } = value.clock;
  const at = new Date(Date.parse(now) + (runs ? performance.now() - value.readAt : 0)).toISOString();
  return (
    <a class="header-clock" href={href('clock')} title="The clock of the environment">
      <time dateTime={at}>{at.replace('T', ' ').slice(0, 19)} UTC</time>
      {SAID[mode] !== '' && <span class="badge note">{SAID[mode]}</span>}
    </a>
  );
}
