import type { ScenarioList } from '@understudy/client/control';
import type { ReferenceIndex } from '../server/reference/shapes.ts';
import { globTest } from '@understudy/text/glob';

export type Available = ScenarioList['available'][number];

interface ScenarioGroup {
  title: string;
  scenarios: readonly Available[];
}

const ANY = 'Any call';
const SENT = 'What the service sends';
const NO_CALL = 'Rows and clock';
/** A rule for more kinds of operations than this is one for any call. */
const FEW = 3;

/** The scenarios by what their rules are about: those for any call first, then by the tags of the contract. */
export function groupsOf(
  scenarios: readonly Available[],
  index: ReferenceIndex | undefined,
): ScenarioGroup[] {
  const titles = [ANY, ...Object.keys(index?.tags ?? {}), SENT, NO_CALL];
  const groups = new Map<string, Available[]>();
  for (const each of scenarios) {
    const title = titleOf(each, index);
    groups.set(title, [...(groups.get(title) ?? []), each]);
  }
  return [...groups]
    .map(([title, list]) => ({ title, scenarios: list }))
    .toSorted((a, b) => titles.indexOf(a.title) - titles.indexOf(b.title));
}

function titleOf({ on }: Available, index: ReferenceIndex | undefined): string {
  const globs = on.flat().filter((each) => typeof each === 'string');
  if (on.length === 0) return NO_CALL;
  if (globs.length > 0 && globs.every((each) => each.includes('.'))) return SENT;
  const tests = globs.map(globTest);
  const found = index?.operations.filter(
    ({ id, document }) => document === 'service' && tests.some((test) => test(id)),
  );
  const tags = [...new Set(found?.map(({ tag }) => tag))];
  return tags.length > 0 && tags.length <= FEW ? tags[0]! : ANY;
}
