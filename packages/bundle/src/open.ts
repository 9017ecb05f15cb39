import { embed } from '@understudy/core/cli/serve';
import type { Config } from '@understudy/core/config';
import type { Controls } from '@understudy/core/control/handler';
import { SETTINGS } from './embedded.ts';
import type { Bundle } from './format.ts';
import { readBundleFile } from './read-file.ts';
import { restoreBundle } from './restore.ts';

interface OpenBundle {
  bundle: Bundle;
  /** The page of the dashboard with the calls of the bundle. */
  page: string;
  controls: Controls;
  close: () => Promise<void>;
}

/** Serves the environment of a bundle, as it was at the end, without changing it. Throws UsageError. */
export async function openBundle(file: string, wanted: Partial<Config>): Promise<OpenBundle> {
  const running = await embed({ ...SETTINGS, ...wanted }, () => {});
  const close = async () => void (await running.stop());
  try {
    const { controls } = running;
    const bundle = await readBundleFile(file, controls.contract);
    const environment = await restoreBundle(bundle, controls);
    environment.clock.set({ mode: 'frozen', at: new Date(endOf(bundle)).toISOString() });
    const { name } = environment;
    environment.readOnly = `environment ${name} is a bundle, which nothing changes: fork it to go on from here (POST /_control/v1/environments/${name}/fork)`;
    return { bundle, page: `${running.url}/_control/#/${name}/requests`, controls, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** The time of the latest call or commit, by the clock of the environment; of a bundle without both, that of its clock. */
function endOf({ calls, commits, surroundings, made }: Bundle): number {
  const { clock } = surroundings.at(-1)!;
  if (clock.mode === 'frozen' && clock.at !== undefined) return Date.parse(clock.at);
  const times = [...calls.slice(-1), ...commits.slice(-1)].map(({ time }) => time);
  return times.length > 0 ? Math.max(...times) : Date.parse(made);
}
