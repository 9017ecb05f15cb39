import { useSignal, type Signal } from '@preact/signals';
import { ControlError, type NewEnvironment } from '@understudy/client/control';
import { useAction, useData } from '../data.ts';
import { useDraft } from '../drafts.ts';
import { Choice, member } from '../parts/fields.tsx';
import { Complaint, Do, Field } from '../parts/parts.tsx';
import { go, hrefIn } from '../route.ts';
import { control, environment, environmentChanges } from '../session.ts';

/** What the form of a new environment holds. */
interface Wanted {
  name: string;
  fixture: string;
  seed: string;
  mode: 'real' | 'frozen' | 'offset';
  at: string;
  offset: string;
  /** Empty: as the server was started. */
  strict: string;
  persist: boolean;
  scenarios: readonly string[];
}

const START: Wanted = {
  name: '',
  fixture: '',
  seed: '',
  mode: 'real',
  at: '',
  offset: '',
  strict: '',
  persist: false,
  scenarios: [],
};

/** The body of the call. Values that are not numbers stay as they are, so that the server names them. */
function settingsOf({ name, fixture, seed, strict, persist, scenarios, ...clock }: Wanted): object {
  return {
    name: name || undefined,
    fixture: fixture || undefined,
    seed: seed === '' ? undefined : Number.isNaN(Number(seed)) ? seed : Number(seed),
    clock: clockOf(clock),
    strict: strict === '' ? undefined : strict === 'true',
    persist: persist || undefined,
    scenarios: scenarios.length > 0 ? scenarios.map((each) => ({ name: each })) : undefined,
  };
}

function clockOf({ mode, at, offset }: Pick<Wanted, 'mode' | 'at' | 'offset'>): object | undefined {
  if (mode === 'real') return undefined;
  return mode === 'frozen' ? { mode, at: at || undefined } : { mode, offset };
}

const ALREADY_EXISTS = 409;

/** The fields of a new environment. An error of a field is shown beside the field. */
export function Make() {
  const wanted = useDraft<Wanted>('environment', START);
  const complaints = useSignal<ReadonlyMap<string, string>>(new Map());
  const action = useAction();
  const { value: names } = useData(namesOf, ['scenario']);
  const set = (change: Partial<Wanted>) => (wanted.value = { ...wanted.value, ...change });
  const make = async () => {
    complaints.value = new Map();
    try {
      const made = await control().environments.create(settingsOf(wanted.value) as NewEnvironment);
      environmentChanges.value += 1;
      go(hrefIn(made.name, 'environments'));
      wanted.value = START;
    } catch (thrown) {
      complaints.value = complaintsIn(thrown);
      // Errors that are shown beside a field are left out here.
      if (complaints.value.size === 0) throw thrown;
    }
  };
  const about = (field: string) => complaints.value.get(field);
  return (
    <section class="card">
      <h2>Make an environment</h2>
      <Complaint of={action.error.value ?? elsewhere(complaints.value)} />
      <Fields wanted={wanted} about={about} fixtures={names?.fixtures ?? []} />
      <Scenarios
        chosen={wanted.value.scenarios}
        names={names?.scenarios ?? []}
        set={(scenarios) => set({ scenarios })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={wanted.value.persist}
          onChange={(event) => set({ persist: event.currentTarget.checked })}
        />{' '}
        Keep it in the data folder
      </label>
      <Do action={action} kind="main" run={make}>
        Make
      </Do>
    </section>
  );
}

interface ClockFieldsProps {
  wanted: Signal<Wanted>;
  about: (field: string) => string | undefined;
}

const Fields = ({ wanted, about, fixtures }: ClockFieldsProps & { fixtures: readonly string[] }) => (
  <div class="grid">
    <Field
      label="Name"
      hint="If empty, Understudy chooses a name."
      {...member(wanted, 'name')}
      complaint={about('name')}
    />
    <Choice
      label="Fixture"
      hint="The rows to start with."
      {...member(wanted, 'fixture')}
      options={[['', 'that of default'], ...fixtures.map((each) => [each, each] as const)]}
    />
    <Field
      label="Seed"
      hint="The same seed and clock give the same ids. If empty: the seed of the environment default."
      {...member(wanted, 'seed')}
      complaint={about('seed')}
    />
    <ClockFields wanted={wanted} about={about} />
    <Choice
      label="Unknown fields of requests"
      {...member(wanted, 'strict')}
      options={[
        ['', 'as --strict says'],
        ['true', 'refuse'],
        ['false', 'accept'],
      ]}
    />
  </div>
);

const ClockFields = ({ wanted, about }: ClockFieldsProps) => (
  <>
    <Choice
      label="Clock"
      {...member(wanted, 'mode')}
      options={[
        ['real', 'real: machine time'],
        ['frozen', 'frozen: stands still'],
        ['offset', 'offset: runs, ahead or behind'],
      ]}
    />
    {wanted.value.mode === 'frozen' && (
      <Field
        label="Frozen at"
        hint="For example 2030-01-01T00:00:00Z. If empty: now."
        {...member(wanted, 'at')}
        complaint={about('clock.at')}
      />
    )}
    {wanted.value.mode === 'offset' && (
      <Field
        label="Offset"
        hint="A duration, such as 25h or -30m."
        {...member(wanted, 'offset')}
        complaint={about('clock.offset')}
      />
    )}
  </>
);

interface ScenariosProps {
  chosen: readonly string[];
  names: readonly string[];
  set: (chosen: readonly string[]) => void;
}

/** Each reset loads them again. */
const Scenarios = ({ chosen, names, set }: ScenariosProps) => (
  <>
    <Choice
      label="Add a scenario"
      hint="It is loaded with its default parameters, now and after each reset."
      value=""
      onInput={(name) => set([...chosen, name])}
      options={[
        ['', 'choose'],
        ...names.filter((each) => !chosen.includes(each)).map((each) => [each, each] as const),
      ]}
    />
    {chosen.length > 0 && (
      <ul class="chosen" aria-label="Scenarios">
        {chosen.map((name) => (
          <li key={name}>
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => set(chosen.filter((each) => each !== name))}
            >
              {name} ×
            </button>
          </li>
        ))}
      </ul>
    )}
  </>
);

async function namesOf() {
  const [fixtures, { available }] = await Promise.all([
    control().environments.fixtures(),
    environment.value.scenarios.list(),
  ]);
  return { fixtures, scenarios: available.map(({ name }) => name) };
}

/** By field. A name that is taken is not a violation of the contract, but is shown beside the name too. */
function complaintsIn(thrown: unknown): ReadonlyMap<string, string> {
  if (!(thrown instanceof ControlError)) return new Map();
  if (thrown.status === ALREADY_EXISTS) return new Map([['name', thrown.body.message ?? thrown.message]]);
  return new Map(thrown.violations.map(({ field, description }) => [field, description]));
}

const FIELDS = ['name', 'seed', 'clock.at', 'clock.offset'];

function elsewhere(complaints: ReadonlyMap<string, string>): string | undefined {
  const others = [...complaints].filter(([field]) => !FIELDS.includes(field));
  return others.length === 0 ? undefined : others.map(([field, said]) => `${field}: ${said}`).join('\n');
}
