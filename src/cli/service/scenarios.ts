import { ControlError, unchecked, type ScenarioList } from '../../client/control.ts';
import { readRegularFile } from '../../files.ts';
import { UsageError } from '../explain.ts';
import { table, type Session } from './connect.ts';
import { pairIn, readValue } from './values.ts';

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
  const load = isFile(name)
    ? scenarios.loadYaml(readRegularFile(name))
    : scenarios.load(unchecked(name), paramsOf(name, params, await scenarios.list()));
  const { id } = await load.catch((thrown: unknown) => {
    throw withPlace(thrown, isFile(name) ? `${name}$1` : name);
  });
  const loaded = await scenarios.get(id);
  print(loaded, `scenario ${loaded.name} is loaded in environment ${environment.name}`);
}

/** The service names a place in the request body, which the user has not written. `$1` is its line and column. */
const withPlace = (thrown: unknown, place: string) =>
  thrown instanceof ControlError
    ? new UsageError(thrown.message.replaceAll(/^request body(:\d+:\d+)/gm, place))
    : thrown;

const isFile = (name: string) => /[/\\]|\.(ya?ml|json)$/.test(name);

/** Values of text parameters stay texts; all others are read as JSON. */
function paramsOf(name: string, texts: readonly string[], list: ScenarioList): object {
  return readParams(name, Object.fromEntries(texts.map(pairIn)), list);
}

export function readParams(name: string, texts: Record<string, string>, { available }: ScenarioList): object {
  const declared = available.find((each) => each.name === name)?.params ?? {};
  return Object.fromEntries(
    Object.entries(texts).map(([key, value]) => {
      const { type } = (declared as Record<string, { type?: string }>)[key] ?? {};
      return [key, type === 'string' ? value : readValue(value)];
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
