import { useSignal, type Signal } from '@preact/signals';
import { unchecked, type Row } from '@understudy/client/control';
import { useAction } from '../data.ts';
import { useDraft } from '../drafts.ts';
import { openTab } from '../browser.ts';
import { href } from '../route.ts';
import { environment } from '../session.ts';
import {
  authorizeAddress,
  type Wanted,
  type Rows,
  NOTHING_WANTED,
  callbackAddress,
} from '../sign-in/authorize.ts';
import { FAILURES } from '../sign-in/failures.ts';
import { searchFor } from '@understudy/text/words';
import { Complaint, Copy, Do, Field } from './parts.tsx';
import { bound, Choice, member, Suggestion } from './fields.tsx';
import { MOST_CHOICES, useOrganizationChoices } from './organizations.tsx';

interface OpenerProps {
  wanted: Signal<Wanted>;
  failure: Signal<string>;
  rows: Rows;
}

/** Loads the failure, then opens the sign-in in a new tab. */
function SignInOpener({ wanted, failure, rows: { ownClient, users } }: OpenerProps) {
  const action = useAction();
  const address = useSignal('');
  const loaded = useSignal('');
  const make = async () => {
    const chosen = FAILURES[Number(failure.value || NaN)];
    loaded.value = '';
    const asked = wanted.value;
    const changed = chosen?.change?.(asked, users) ?? asked;
    address.value = await authorizeAddress(changed, asked.client_id === ownClient, asked.login_hint);
    if (chosen?.scenario) {
      const { scenario, params } = chosen;
      loaded.value = (await environment.value.scenarios.load(unchecked(scenario), params)).name;
    }
  };
  const open = async () => {
    await make();
    openTab(address.value);
  };
  return (
    <>
      <Complaint of={action.error.value} />
      <div class="actions">
        <Do action={action} kind="main" run={open}>
          Open the sign-in
        </Do>
        <Do action={action} run={make}>
          Make the address
        </Do>
        {address.value && <Copy text={address.value}>Copy the address</Copy>}
      </div>
      {address.value && (
        <p class="made" role="status">
          <a href={address.value} target="_blank" rel="noreferrer">
            {address.value}
          </a>
          {loaded.value && (
            <>
              {' '}
              with the scenario <a href={href('scenarios')}>{loaded.value}</a>
            </>
          )}
        </p>
      )}
    </>
  );
}

const PROMPTS = ['', 'login', 'create', 'select_account', 'consent', 'none'] as const;

/** A form that starts a sign-in for a chosen client, organization and user. */
export function SignInForm({ rows, given }: { rows: Rows; given?: Partial<Wanted> | undefined }) {
  const first = rows.clients.find(({ id }) => id === rows.ownClient) ?? rows.clients[0];
  const wanted = useDraft<Wanted>(`sign-in ${JSON.stringify(given)}`, {
    ...NOTHING_WANTED,
    client_id: first?.id ?? '',
    redirect_uri: callbackAddress(),
    ...given,
  });
  const failure = useDraft(`failure of ${JSON.stringify(given)}`, '');
  const client = rows.clients.find(({ id }) => id === wanted.value.client_id);
  return (
    <section class="card">
      <h2>Start a sign-in</h2>
      <div class="grid">
        <ClientFields wanted={wanted} rows={rows} />
        <PersonFields wanted={wanted} rows={rows} />
        <Choice
          label="Failure"
          hint="It happens once, to the next sign-in."
          {...bound(failure)}
          options={[['', 'None'], ...FAILURES.map(({ title }, index) => [String(index), title] as const)]}
        />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={wanted.value.pageless}
          onChange={(event) => (wanted.value = { ...wanted.value, pageless: event.currentTarget.checked })}
        />{' '}
        Skip the sign-in pages. Choose a user first.
      </label>
      {client && <Registration client={client} wanted={wanted} />}
      <SignInOpener wanted={wanted} failure={failure} rows={rows} />
    </section>
  );
}

interface FieldsProps {
  wanted: Signal<Wanted>;
  rows: Rows;
}

function ClientFields({ wanted, rows: { clients } }: FieldsProps) {
  const { client_id } = wanted.value;
  const registered = clients.find(({ id }) => id === client_id)?.post_login_uris ?? [];
  return (
    <>
      <Choice
        label="Client"
        {...member(wanted, 'client_id')}
        options={clients.map(({ id, name, client_type = 'ENV' }) => [id, `${name} (${client_type})`])}
      />
      <Suggestion
        label="Redirect address"
        hint="The dashboard's own address shows the tokens."
        {...member(wanted, 'redirect_uri')}
        suggestions={[...new Set([callbackAddress(), ...registered])]}
      />
      <Field label="Scope" {...member(wanted, 'scope')} />
      <Field label="Prompt" list={PROMPTS} {...member(wanted, 'prompt')} />
    </>
  );
}

function PersonFields({ wanted, rows: { organizations, connections, users } }: FieldsProps) {
  const { login_hint, organization_id } = wanted.value;
  const people = suggested(users, login_hint);
  const { typed, options, finder } = useOrganizationChoices(organizations, organization_id);
  const named = new Map(organizations.map(({ id, display_name }) => [id, display_name]));
  const isWanted = searchFor(typed.value);
  const signOn = connections.filter(
    ({ id, type, is_app, organization_id: owner = '' }) =>
      type !== undefined && !is_app && isWanted(`${named.get(owner)} ${owner} ${id}`),
  );
  return (
    <>
      <Suggestion
        label="User"
        hint={`An e-mail address (login_hint).${people.length > MOST_CHOICES ? ` The list has the first ${MOST_CHOICES} of ${people.length.toLocaleString('en')} that have this text.` : ''}`}
        {...member(wanted, 'login_hint')}
        suggestions={people.slice(0, MOST_CHOICES)}
      />
      {finder}
      <Choice
        label="Organization"
        {...member(wanted, 'organization_id')}
        options={[['', 'Any'], ...options]}
      />
      <Choice
        label="Connection"
        {...member(wanted, 'connection_id')}
        options={[
          ['', 'None'],
          ...signOn.slice(0, MOST_CHOICES).map(({ id, type, provider, organization_id: owner = '' }) => {
            const name = [provider, type, named.get(owner)].filter(Boolean).join(' · ');
            return [id, name || id] as const;
          }),
        ]}
      />
    </>
  );
}

/** The browser shows those that begin with what is typed; the list has those that have it. */
const suggested = (users: Rows['users'], typed: string): string[] =>
  users.filter(({ email }) => email.includes(typed.trim().toLowerCase())).map(({ email }) => email);

interface RegistrationProps {
  client: Row<'clients'>;
  wanted: Signal<Wanted>;
}

/** A client with registered addresses redirects only to those. */
function Registration({ client: { id, name, post_login_uris: known = [] }, wanted }: RegistrationProps) {
  const action = useAction();
  const { redirect_uri } = wanted.value;
  if (known.length === 0 || known.includes(redirect_uri)) return null;
  const register = () =>
    environment.value.state.patch('clients', id, { post_login_uris: [...known, redirect_uri] });
  return (
    <div class="alert note">
      <p>This redirect address is not registered for {name}.</p>
      <Complaint of={action.error.value} />
      <Do action={action} run={register}>
        Register it
      </Do>
    </div>
  );
}
