import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RequestSummary } from '@understudy/client/control';
import { Badge, statusKind, Time } from '../parts/parts.tsx';
import { environment, listen } from '../session.ts';
import { callAddress, changeFilter, isAll, wantedCalls } from './call-filter.ts';
import { paused } from './journal.ts';

/** Milliseconds between two readings, and as a multiple of how long the last one took. */
const REST = { least: 1000, times: 10 };

const summary = signal<RequestSummary | undefined>(undefined);
/** The environment of the summary. */
let place: string | undefined;

/** How the calls that the filter leaves came and failed over time, and why they failed. Of one environment. */
export function Overview() {
  useEffect(followSummary, [environment.value, isAll.value, JSON.stringify(wantedCalls.value)]);
  const value = summary.value;
  if (isAll.value || !value || value.bars.length === 0) return null;
  return (
    <div class="overview">
      <Chart summary={value} />
      {value.failures.length > 0 && <Failures summary={value} />}
    </div>
  );
}

/** Reads the summary now, and again after calls, with a rest between. */
function followSummary(): (() => void) | void {
  const shown = environment.peek();
  // The summary stays until the first answer, so that it does not flicker while a filter is typed.
  if (isAll.peek() || shown.name !== place) summary.value = undefined;
  place = shown.name;
  if (isAll.peek()) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [isOver, isBusy, hasMore, isLater] = [false, false, false, false];
  const read = async () => {
    timer = undefined;
    [isBusy, hasMore] = [true, false];
    const begun = performance.now();
    const { sort: _, reverse: __, ...filter } = wantedCalls.peek();
    // The list says what is wrong with the filter.
    const found = await shown.requests.page({ ...filter, limit: 0, summary: true }).catch(() => undefined);
    isBusy = false;
    if (isOver) return;
    if (!isLater || !paused.peek()) summary.value = found?.summary;
    isLater = true;
    timer = setTimeout(
      () => (hasMore ? void read() : (timer = undefined)),
      Math.max(REST.least, REST.times * (performance.now() - begun)),
    );
  };
  void read();
  const stop = listen(({ kind }) => {
    if (kind !== 'request' && kind !== 'start' && kind !== 'reset') return;
    hasMore = true;
    if (!isBusy && timer === undefined) void read();
  });
  return () => {
    isOver = true;
    clearTimeout(timer);
    stop();
  };
}

const [WIDTH, HEIGHT, GAP] = [600, 40, 1];

/** One bar for each part of the time: all calls, and those that failed in another colour. */
function Chart({ summary: { bars, bar_ms, failed } }: { summary: RequestSummary }) {
  const most = Math.max(...bars.map(({ calls }) => calls));
  const total = bars.reduce((sum, { calls }) => sum + calls, 0);
  const step = WIDTH / bars.length;
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT));
  const bar = (index: number, count: number, name: string) => (
    <rect
      class={name}
      x={index * step}
      y={HEIGHT - heightOf(count)}
      width={Math.max(1, Math.min(step, 40) - GAP)}
      height={heightOf(count)}
    />
  );
  const said = `${countOf(total, 'call')}, ${failed.toLocaleString('en')} failed, at most ${most.toLocaleString('en')} in ${lengthOf(bar_ms)}`;
  return (
    <figure>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={said}>
        {bars.map(({ time, calls, failed: bad }, index) => (
          <g key={time}>
            <title>{`${time.replace('T', ' ').slice(0, 19)}: ${countOf(calls, 'call')}, ${bad} failed`}</title>
            {bar(index, calls, 'all')}
            {bar(index, bad, 'failed')}
          </g>
        ))}
      </svg>
      <figcaption class="faint">
        <Time at={bars[0]!.time} /> to <Time at={bars.at(-1)!.time} />, a bar for {lengthOf(bar_ms)}
      </figcaption>
    </figure>
  );
}

const countOf = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`;

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
] as const;

/** Such as `5 seconds`. */
function lengthOf(time: number): string {
  const [size, noun] = UNITS.find(([unit]) => time >= unit) ?? UNITS[3];
  return countOf(time / size, noun);
}

/** The calls that failed, in groups of one operation and one cause. */
function Failures({ summary: { failed, failures, more_failures } }: { summary: RequestSummary }) {
  const kinds = failures.length + more_failures;
  return (
    <details>
      <summary>
        {countOf(failed, 'failed call')}, by operation and cause: {countOf(kinds, 'group')}
      </summary>
      <ul class="plain rows" aria-label="Failed calls by operation and cause">
        {failures.map(({ operation, status, cause, count, last, latest }) => (
          <li key={`${operation} ${status} ${cause}`}>
            <Badge kind={statusKind(status)}>{status ?? 'none'}</Badge>{' '}
            <a href={callAddress(environment.value.name, latest)}>{operation ?? 'no operation'}</a> {cause}{' '}
            <span class="faint">
              {countOf(count, 'call')}, the latest <Time at={last} />
            </span>{' '}
            {operation !== undefined && count > 1 && (
              <button
                type="button"

                aria-label={`Show the calls of ${operation} with ${status ?? 'no answer'}`}
                onClick={() => changeFilter({ operation, status: String(status ?? 'none') })}
              >
                Show them
              </button>
            )}
          </li>
        ))}
      </ul>
      {more_failures > 0 && (
        <p class="faint">{countOf(more_failures, 'group')} more, each with fewer calls</p>
      )}
    </details>
  );
}
