import type { Terminal } from '@understudy/core/parts';
import { UsageError } from '@understudy/core/cli/usage-error';
import { CATALOGUE } from '../catalogue.ts';
import { planOf, type Case } from '../plan.ts';
import { Progress } from '../progress.ts';
import { runSuite, type Suite } from '../runs/suite.ts';
import { behaviourIn } from '../sdk/behaviour.ts';
import { OPERATIONS, SDKS, type SdkCall } from '../sdk/programs.ts';
import { firstRun } from './first-run.ts';
import type { SweepOptions } from './sweep.ts';

/** Milliseconds that a call of an SDK may take: longer than an answer that is too late. */
const LIMIT = 45_000;
const CALLS = Object.keys(OPERATIONS) as SdkCall[];

/** `understudy sweep --sdk`: prints a table, in Markdown, of what an official SDK does with each failure of a call. */
export async function sweepSdk(
  name: keyof typeof SDKS,
  { jobs, seed }: Pick<SweepOptions, 'jobs' | 'seed'>,
  { variables, platform, out, err, isWatched = false }: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { commands, trust } = SDKS[name];
  const programs = commands(variables);
  const trials: Trial[] = [];
  for (const call of CALLS) {
    const suite = { command: programs[call], runner: undefined, seed, signal, variables, platform, trust };
    trials.push(...(await casesOf(suite, call, name)).map((each) => ({ call, suite, each })));
  }
  const progress = new Progress(trials.length, err, isWatched);
  const cells = new Map<string, string>();
  const waiting = trials.values();
  const lane = async () => {
    for (const { call, suite, each } of waiting) {
      if (signal.aborted) return;
      const run = await runSuite(suite, { injections: [each.injection], limit: LIMIT });
      cells.set(`${each.failure.name} ${call}`, behaviourIn(run, 0));
      progress.add(1, 0);
    }
  };
  await Promise.all(Array.from({ length: jobs }, lane));
  progress.end();
  out(tableOf(cells));
}

/** One failure of one call. */
interface Trial {
  call: SdkCall;
  suite: Suite;
  each: Case;
}

/** The failures of the call. */
async function casesOf(suite: Suite, call: SdkCall, name: keyof typeof SDKS): Promise<Case[]> {
  try {
    const { tests } = await firstRun(suite);
    return planOf(tests, CATALOGUE).filter(
      ({ nth, operation }) => nth === 0 && operation === OPERATIONS[call],
    );
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    throw new UsageError(
      `the SDK cannot be called; is ${SDKS[name].package} installed here? ${thrown.message}`,
    );
  }
}

function tableOf(cells: ReadonlyMap<string, string>): string {
  const rows = CATALOGUE.filter(({ name }) => CALLS.some((call) => cells.has(`${name} ${call}`))).map(
    ({ name }) => `| \`${name}\` | ${CALLS.map((call) => cells.get(`${name} ${call}`) ?? '').join(' | ')} |`,
  );
  const head = ['failure', ...CALLS.map((call) => OPERATIONS[call])];
  return [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...rows]
    .map((line) => `${line}\n`)
    .join('');
}
