import type { Contract } from '../contract/contract.ts';
import { COLLECTIONS, TABLES } from '../state/schema.ts';
import { suggest } from '../text/suggestion.ts';
import { formatValueName, type ValueName, valueNamesIn } from './call-facts.ts';
import type { Complaints } from './complaints.ts';
import { unknownInCalls } from './condition-check.ts';
import type { RowSelection } from './edits.ts';
import { unknownMembers } from './breaches.ts';
import { valueAt, type Path } from './path.ts';
import type { RuleContracts } from './target.ts';

/** Complains of `row` references outside an edit with `for`, and of members that the rows do not have. */
export function checkRowValues(
  edit: { readonly for?: RowSelection },
  templates: readonly Path[],
  { at, control }: EditPlace,
  complaints: Complaints,
): void {
  const collection = COLLECTIONS.find((name) => edit.for?.[name] !== undefined);
  for (const { path, name } of namesIn(edit, templates)) {
    if (name.part !== 'row') continue;
    const complain = (message: string) =>
      complaints.addToTemplate([...at, ...path], `\${${formatValueName(name)}}: ${message}`);
    if (!collection || path[0] === 'for') {
      complain('only an edit with for has a row, and only outside of the for');
      continue;
    }
    const [member = ''] = name.steps;
    const { noun, schema } = TABLES[collection];
    const [stranger] = unknownMembers({ [member]: 0 }, control.schemaNamed(schema)!, control);
    if (stranger) complain(`a row of ${noun} has no member ${member}${suggest(member, stranger.known)}`);
  }
}

export interface EditPlace {
  at: Path;
  control: Contract;
}

/** Complains of references to values that no call of the rule's operations has. */
export function checkCallValues(
  value: unknown,
  at: Path,
  promised: RuleContracts,
  complaints: Complaints,
): void {
  for (const { path, name } of namesIn(value, complaints.templatesIn(at))) {
    const unknown = unknownValue(name, promised);
    if (unknown !== undefined)
      complaints.addToTemplate([...at, ...path], `\${${formatValueName(name)}}: ${unknown}`);
  }
}

function unknownValue({ part, steps }: ValueName, promised: RuleContracts): string | undefined {
  const [first = ''] = steps;
  if (part === 'row' || part === 'headers') return undefined;
  if (part === 'caller')
    return CALLER_MEMBERS.includes(first) && steps.length === 1
      ? undefined
      : `a caller has no ${steps.join('.')}${suggest(first, CALLER_MEMBERS)}`;
  if (part === 'service')
    return first === 'url' && steps.length === 1
      ? undefined
      : `a service has no ${steps.join('.')}; write service.url`;
  const wanted = steps.reduceRight<unknown>(
    (inner, step) => (/^\d+$/.test(step) ? [inner] : { [step]: inner }),
    '',
  );
  return unknownInCalls({ [part]: wanted }, promised)[0];
}

const CALLER_MEMBERS = ['client_id', 'organization_id', 'user_id', 'session_id', 'subject'];

const namesIn = (value: unknown, templates: readonly Path[]) =>
  templates.flatMap((path) => valueNamesIn(String(valueAt(path, value))).map((name) => ({ path, name })));
