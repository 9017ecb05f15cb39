import { useSignal, type Signal } from '@preact/signals';
import type { Row } from '@understudy/client/control';
import { searchFor } from '@understudy/text/words';
import { bound } from './fields.tsx';
import { Field } from './parts.tsx';

/** The most choices that a list shows. */
export const MOST_CHOICES = 500;

interface OrganizationChoices {
  /** Words that narrow the list. */
  typed: Signal<string>;
  /** Those that have the words, as far as the list shows them, and the one that is chosen. */
  options: (readonly [id: string, name: string])[];
  /** The field for the words, if there are more organizations than a list shows. */
  finder: false | preact.JSX.Element;
}

/** The organizations to choose from, also where there are thousands. */
export function useOrganizationChoices(
  organizations: readonly Row<'organizations'>[],
  chosen: string,
): OrganizationChoices {
  const typed = useSignal('');
  const isWanted = searchFor(typed.value);
  const found = organizations.filter(({ id, display_name }) => isWanted(`${display_name} ${id}`));
  const shown = found.slice(0, MOST_CHOICES);
  const other = shown.some(({ id }) => id === chosen) ? [] : organizations.filter(({ id }) => id === chosen);
  return {
    typed,
    options: [...other, ...shown].map(({ id, display_name }) => [id, display_name] as const),
    finder: organizations.length > MOST_CHOICES && (
      <Field label="Find an organization" hint={hintFor(found.length)} {...bound(typed)} />
    ),
  };
}

const hintFor = (found: number) =>
  found > MOST_CHOICES
    ? `The lists have the first ${MOST_CHOICES} of ${found.toLocaleString('en')} that match.`
    : `${found} ${found === 1 ? 'matches' : 'match'}.`;
