import { useClock } from '../now.ts';
import { href } from '../route.ts';

const SAID = { real: '', offset: 'moved', frozen: 'stopped' } as const;

/** The time of the environment, and whether it differs from that of the machine. */
export function HeaderClock() {
  const clock = useClock();
  if (!clock) return null;
  const at = new Date(clock.now).toISOString();
  return (
    <a class="header-clock" href={href('clock')} title="The clock of the environment">
      <time dateTime={at}>{at.replace('T', ' ').slice(0, 19)} UTC</time>
      {SAID[clock.mode] !== '' && <span class="badge note">{SAID[clock.mode]}</span>}
    </a>
  );
}
