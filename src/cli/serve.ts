import type { RequestListener } from 'node:http';
import { DEFAULTS, type Config } from '../start/config.ts';
import { openLog } from '../start/open-log.ts';
import { listen, type Listener } from '../server/port/listener.ts';
import { createUnderstudy, type Understudy } from '../simulator.ts';
import { warmUp } from './warm-up.ts';
import { watchFiles } from './watch.ts';

export interface Running {
  url: string;
  /** Answers calls that come to the port, and calls that another server hands over. */
  app: RequestListener;
  /** Answers calls in flight and compacts the store. Returns one line for each reason to fail the run. */
  stop(): Promise<string[]>;
}

/** Milliseconds that calls in flight may still take after a stop. */
const TIMEOUT = 1200;
/**
 * Milliseconds in which calls go to other processes through this one, after it has left its environments to them. Load
 * balancers need some time to see that it is not healthy.
 */
const DRAIN_TIME = 2000;

/** Starts the service as the only work of this process. `write` prints a line for the user of the command. */
export async function startServing(config: Config, write: (line: string) => void): Promise<Running> {
  const running = await startInside(config, write);
  const endWarmUp = warmUp(running.controls);
  const stop = () => {
    endWarmUp();
    return running.stop();
  };
  return { ...running, stop };
}

async function startInside(
  config: Config,
  write: (line: string) => void,
): Promise<Running & Pick<Understudy, 'controls'>> {
  if (config.report.length > 0) await refuseBadReports(config.report);
  const understudy = await createUnderstudy(config, write);
  const listener = await listenOrClose(understudy, config);
  understudy.answersAt(listener.url);
  const log = openLog(config, write);
  const unwatch = config.watch ? watchFiles(understudy.controls, config, log) : () => {};
  return {
    url: config.baseUrl ?? listener.url,
    app: understudy.app,
    controls: understudy.controls,
    async stop() {
      unwatch();
      understudy.controls.simulator.environments.endActivities();
      // The load balancer learns from the health check that calls must go to other processes; until then this one serves them.
      understudy.controls.simulator.environments.announceStop();
      if (understudy.isShared) await listener.drain(DRAIN_TIME);
      await listener.stop(TIMEOUT);
      await understudy.close();
      const unwritten = understudy.recorder ? await writeReports(config, understudy) : [];
      return [...unwritten, ...(config.failOnUnusedRules ? await unusedRules(understudy) : [])];
    },
  };
}

async function refuseBadReports(files: readonly string[]): Promise<void> {
  const { checkReportFiles } = await import('./report-files.ts');
  checkReportFiles(files);
}

async function writeReports(config: Config, { controls, recorder }: Understudy): Promise<string[]> {
  const { writeRunReports } = await import('./report-files.ts');
  return writeRunReports(config, controls, recorder!);
}

async function unusedRules({ controls }: Understudy): Promise<string[]> {
  const { describeUnused } = await import('../coverage/report.ts');
  return describeUnused(controls.simulator.environments.coverage().rules);
}

async function listenOrClose(understudy: Understudy, config: Config): Promise<Listener> {
  try {
    return await listen(understudy, config);
  } catch (thrown) {
    await understudy.close();
    throw thrown;
  }
}

/**
 * Starts the service inside another program: in memory, on a free port and without a request log, unless
 * configured otherwise.
 */
export async function embed(
  wanted: Partial<Config>,
  write: (line: string) => void,
): Promise<Running & Pick<Understudy, 'controls'>> {
  try {
    return await startInside({ ...DEFAULTS, port: 0, data: undefined, logLevel: 'warn', ...wanted }, write);
  } catch (thrown) {
    const { explain } = await import('./explain.ts');
    throw new Error(explain(thrown), { cause: thrown });
  }
}
