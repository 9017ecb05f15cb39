import { UsageError } from '../explain.ts';
import { readRegularFile } from '../../files.ts';
import { unchecked, type Part, type ScenarioList } from '../../client/control.ts';
import { table, type Session } from './connect.ts';
import { clockLine } from './lines.ts';
import { objectOf, pairIn } from './values.ts';

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

/** `real` follows the machine's time, `now-14d` and `now+1h` follow it with an offset. */
export async function setClock({ environment, print }: Session, to: string): Promise<void> {
  const [, offset] = OFFSET.exec(to) ?? [];
  if (offset === undefined && to !== 'real')
    throw new UsageError(`${to} must be real, or an offset such as now-14d`);
  const clock = await environment.clock.set(
    offset === undefined
      ? { mode: 'real' }
      : { mode: 'offset', offset: unchecked(offset.replace(/^\+/, '')) },
  );
  print(clock, clockLine(clock));
}

export interface ResetOptions {
  /** Parts, separated by commas. */
  only?: string;
}

export async function reset({ environment, print }: Session, { only }: ResetOptions): Promise<void> {
  await environment.reset(only === undefined ? {} : { only: only.split(',') as Part[] });
  print({ reset: only ?? 'everything' }, `environment ${environment.name} is reset`);
}

export async function listScenarios({ environment, print }: Session): Promise<void> {
  const list = await environment.scenarios.list();
  const loaded = list.loaded.map(({ name }) => name);
  const rows = list.available.map(({ name, description }) => [
    loaded.includes(name) ? '*' : ' ',
    name,
    firstSentence(description),
  ]);
  print(list, [...table(rows), '', '* loaded']);
}

const firstSentence = (text = '') => /^.*?[.](?= |$)/.exec(text)?.[0] ?? text;

/** `name` is a scenario of the library, or a file. */
export async function loadScenario(
  { environment, print }: Session,
  name: string,
  params: string[],
): Promise<void> {
  const { scenarios } = environment;
  if (isFile(name) && params.length > 0)
    throw new UsageError(`${name} is a file: only scenarios of the library take parameters`);
  const { id } = isFile(name)
    ? await scenarios.loadYaml(readRegularFile(name))
    : await scenarios.load(unchecked(name), paramsOf(name, params, await scenarios.list()));
  const loaded = await scenarios.get(id);
  print(loaded, `scenario ${loaded.name} is loaded in environment ${environment.name}`);
}

const isFile = (name: string) => /[/\\]|\.(ya?ml|json)$/.test(name);

/** Values of text parameters stay texts; all others are read as JSON. */
function paramsOf(name: string, texts: readonly string[], { available }: ScenarioList): object {
  const declared = available.find((each) => each.name === name)?.params ?? {};
  return Object.fromEntries(
    texts.map(pairIn).map(([key, value]) => {
      const { type } = (declared as Record<string, { type?: string }>)[key] ?? {};
      return [key, type === 'string' ? value : objectOf([`value=${value}`])['value']];
    }),
  );
}

export async function unloadScenario({ environment, print }: Session, name?: string): Promise<void> {
  await environment.scenarios.unload(name);
  print(
    { unloaded: name ?? 'all' },
    name === undefined ? 'all scenarios are unloaded' : `scenario ${name} is unloaded`,
  );
}
