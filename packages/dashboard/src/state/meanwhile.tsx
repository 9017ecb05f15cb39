import type { Editing } from './editing.ts';
import type { Meeting } from './merge.ts';

/** What others have changed in the row while the reader was writing. Without a conflict, a save keeps both. */
export function Meanwhile({ met, choices }: Pick<Editing, 'met' | 'choices'>) {
  if (met.length === 0) return null;
  const conflicts = met.filter(({ isConflict }) => isConflict);
  const others = met.filter(({ isConflict }) => !isConflict);
  return (
    <section class="card meanwhile" aria-label="Changed meanwhile">
      <h2>This row has changed since you began</h2>
      {others.length > 0 && (
        <p role="status">
          {others.map(({ name }) => name).join(', ')} {others.length === 1 ? 'has' : 'have'} another value
          now. Save keeps it, because you have not changed it.
        </p>
      )}
      {conflicts.length > 0 && (
        <p role="status">
          You and somebody else have changed the same. Choose what is saved; nothing is saved before.
        </p>
      )}
      {conflicts.map((each) => (
        <Choice key={each.name} of={each} choices={choices} />
      ))}
    </section>
  );
}

function Choice({ of: { name, mine, theirs }, choices }: { of: Meeting } & Pick<Editing, 'choices'>) {
  const option = (value: 'mine' | 'theirs', title: string, content: unknown) => (
    <label class="check">
      <input
        type="radio"
        name={`conflict-${name}`}
        checked={choices.value[name] === value}
        onChange={() => (choices.value = { ...choices.value, [name]: value })}
      />{' '}
      {title}: <code>{content === undefined ? 'nothing' : JSON.stringify(content)}</code>
    </label>
  );
  return (
    <fieldset class="group">
      <legend>{name}</legend>
      {option('mine', 'Mine', mine)}
      {option('theirs', 'Theirs', theirs)}
    </fieldset>
  );
}
