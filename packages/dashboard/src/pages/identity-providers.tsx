import { useSignal, type Signal } from '@preact/signals';
import type { Idp, IdpControl, IdpProvider, Row } from '@understudy/client/control';
import { useAction, useData } from '../data.ts';
import { Choice, member, Suggestion } from '../parts/fields.tsx';
import { useOrganizationChoices } from '../parts/organizations.tsx';
import { Badge, Complaint, Do, Empty, Field, Heading, statusKind, Time } from '../parts/parts.tsx';
import { environment } from '../session.ts';
import { IDP_ACTIONS } from './identity-provider-actions.ts';

type Push = Idp['pushes'][number];
type Person = Idp['users'][number];

interface Known {
  idps: Idp[];
  organizations: Row<'organizations'>[];
  emails: string[];
  groupNames: string[];
}

async function load(): Promise<Known> {
  const { state } = environment.value;
  const [idps, organizations, users, groups] = await Promise.all([
    environment.value.idps(),
    state.list('organizations'),
    state.list('directory_users'),
    state.list('directory_groups'),
  ]);
  const emails = users.map(({ email }) => email).filter(Boolean);
  return { idps, organizations, emails, groupNames: groups.map(({ display_name }) => display_name) };
}

/** Okta, Entra ID and others, and what they have pushed. */
export function IdentityProvidersPage() {
  const { value, error } = useData(load, ['state', 'snapshot', 'clock']);
  return (
    <>
      <Heading title="Identity providers" />
      <Complaint of={error} />
      <p>
        An identity provider pushes people and groups to the directory of an organization, over SCIM. Its
        calls are among the requests.
      </p>
      {value && <Act known={value} />}
      {value?.idps.length === 0 && (
        <Empty>No identity provider has pushed yet. Let one do something, and it appears here.</Empty>
      )}
      {value?.idps.map((idp) => (
        <OneIdp key={`${idp.provider} ${idp.directory_id}`} idp={idp} />
      ))}
    </>
  );
}

const PROVIDERS: readonly (readonly [IdpProvider, string])[] = [
  ['okta', 'Okta'],
  ['entra', 'Entra ID'],
  ['google', 'Google Workspace'],
  ['generic', 'Another one'],
];

const nameOf = (provider: IdpProvider) => PROVIDERS.find(([each]) => each === provider)![1];

interface Draft {
  provider: IdpProvider;
  organization: string;
  action: string;
  user: string;
  given: string;
  family: string;
  email: string;
  groups: string;
  group: string;
  renamed: string;
  patch: string;
  late: string;
}

const NEW: Draft = {
  provider: 'okta',
  organization: '',
  action: 'create',
  user: '',
  given: '',
  family: '',
  email: '',
  groups: '',
  group: '',
  renamed: '',
  patch: '',
  late: '',
};

/** The form that lets a provider do something. */
function Act({ known }: { known: Known }) {
  const draft = useSignal(NEW);
  const done = useSignal<Idp['pushes'] | undefined>(undefined);
  const action = useAction();
  const run = async () => (done.value = (await perform(draft.value)).pushes);
  return (
    <section class="card">
      <h2>Let a provider do something</h2>
      <div class="grid">
        <Target draft={draft} organizations={known.organizations} />
        <About draft={draft} known={known} />
      </div>
      <Complaint of={action.error.value} />
      <div class="actions">
        <Do action={action} kind="main" run={run}>
          Do it
        </Do>
      </div>
      {done.value && (
        <div role="status">
          <Pushes pushes={done.value} label="What was pushed" />
        </div>
      )}
    </section>
  );
}

function perform({ provider, organization, action, groups, late, ...texts }: Draft): Promise<Idp> {
  const idp = environment.value.idp(provider, organization ? { organization } : {});
  return IDP_ACTIONS[action]!.run(idp, {
    user: texts.user.trim(),
    givenName: texts.given.trim() || undefined,
    familyName: texts.family.trim() || undefined,
    email: texts.email.trim() || undefined,
    group: texts.group.trim(),
    renamed: texts.renamed.trim(),
    patch: texts.patch.trim(),
    groups: groups
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
    late: late === 'cycle' ? late : undefined,
  });
}

interface DraftProps {
  draft: Signal<Draft>;
}

/** Who pushes, where, and when. */
function Target({ draft, organizations }: DraftProps & Pick<Known, 'organizations'>) {
  const { options, finder } = useOrganizationChoices(organizations, draft.value.organization);
  return (
    <>
      <Choice label="Provider" {...member(draft, 'provider')} options={PROVIDERS} />
      {finder}
      <Choice
        label="Organization"
        {...member(draft, 'organization')}
        options={[['', 'that of the provider’s directory'], ...options]}
      />
      <Choice
        label="Push"
        {...member(draft, 'late')}
        options={[
          ['', 'at once'],
          ['cycle', 'when the provider usually does, by the clock of the environment'],
        ]}
      />
    </>
  );
}

/** What happens, and to whom. */
function About({ draft, known }: DraftProps & { known: Pick<Known, 'emails' | 'groupNames'> }) {
  const { fields } = IDP_ACTIONS[draft.value.action]!;
  const options = Object.entries(IDP_ACTIONS).map(([value, { name }]) => [value, name] as const);
  return (
    <>
      <Choice label="Action" {...member(draft, 'action')} options={options} />
      {fields.includes('user') && (
        <Suggestion
          label="Person"
          {...member(draft, 'user')}
          suggestions={known.emails}
          hint="The e-mail address."
        />
      )}
      {fields.includes('names') && (
        <>
          <Field label="Given name" {...member(draft, 'given')} />
          <Field label="Family name" {...member(draft, 'family')} />
        </>
      )}
      {fields.includes('email') && <Field label="New e-mail address" {...member(draft, 'email')} />}
      {fields.includes('groups') && (
        <Field label="Groups" {...member(draft, 'groups')} hint="Names, with commas between them." />
      )}
      {fields.includes('group') && (
        <Suggestion
          label="Group"
          {...member(draft, 'group')}
          suggestions={known.groupNames}
          hint="The name."
        />
      )}
      {fields.includes('renamed') && <Field label="New name" {...member(draft, 'renamed')} />}
      {fields.includes('patch') && (
        <Field
          label="PATCH"
          {...member(draft, 'patch')}
          hint="JSON. If this is empty, the provider sends one that breaks the SCIM standard."
        />
      )}
    </>
  );
}

function OneIdp({ idp }: { idp: Idp }) {
  const { provider, directory_id, organization_id, users, groups, pushes } = idp;
  const action = useAction();
  const name = nameOf(provider);
  const control = environment.value.idp(provider, { directory: directory_id });
  const waiting = pushes.filter(({ status }) => status !== 'DONE').length;
  return (
    <article class="card" aria-label={`${name} of ${directory_id}`}>
      <h2>
        {name} {waiting > 0 && <Badge kind="note">{waiting} to push</Badge>}
      </h2>
      <p class="faint">
        {organization_id} · {directory_id} · {users.length} people ·{' '}
        {groups.map((group) => group.name).join(', ') || 'no groups'}
      </p>
      <Complaint of={action.error.value} />
      <div class="actions">
        <Do action={action} run={() => control.sync()}>
          Sync now
        </Do>
        <Do action={action} run={() => control.pushAll()}>
          Push everything
        </Do>
      </div>
      <ul class="plain rows" aria-label={`People at ${name}`}>
        {users.map((user) => (
          <OnePerson key={user.external_id} user={user} control={control} />
        ))}
      </ul>
      <details>
        <summary>
          {pushes.length > MOST
            ? `The latest ${MOST} of ${pushes.length.toLocaleString('en')} pushes`
            : 'Pushes'}
        </summary>
        <Pushes pushes={pushes.slice(-MOST).toReversed()} label={`Pushes of ${name}`} />
      </details>
    </article>
  );
}

/** How many of the latest pushes are shown. */
const MOST = 50;

function OnePerson({ user, control }: { user: Person; control: IdpControl }) {
  const { email, given_name, family_name, active, groups, is_pushed } = user;
  const action = useAction();
  return (
    <li>
      <strong>{email}</strong>{' '}
      <Badge kind={active ? 'good' : 'bad'}>{active ? 'active' : 'not active'}</Badge>{' '}
      {!is_pushed && <Badge kind="note">not pushed</Badge>}
      <span class="faint">
        {[`${given_name} ${family_name}`.trim(), ...groups].filter(Boolean).join(' · ')}
      </span>
      <Complaint of={action.error.value} />
      <div class="actions">
        <Do
          action={action}
          label={`${active ? 'Deactivate' : 'Activate'} ${email}`}
          run={() => (active ? control.deactivate(email) : control.activate(email))}
        >
          {active ? 'Deactivate' : 'Activate'}
        </Do>
        <Do action={action} label={`Offboard ${email}`} run={() => control.offboard(email)}>
          Offboard
        </Do>
      </div>
    </li>
  );
}

const KINDS = { DONE: 'good', FAILED: 'bad', RETRYING: 'note', QUEUED: 'note' } as const;

const Pushes = ({ pushes, label }: { pushes: readonly Push[]; label: string }) =>
  pushes.length === 0 ? (
    <Empty>Nothing was pushed.</Empty>
  ) : (
    <ul class="plain rows" aria-label={label}>
      {pushes.map(({ id, kind, label: about, status, next_attempt_at, attempts }) => (
        <li key={id}>
          {kind} {about} <Badge kind={KINDS[status]}>{status}</Badge>
          {next_attempt_at !== undefined && (
            <span class="faint">
              {' '}
              next attempt <Time at={next_attempt_at} />
            </span>
          )}
          {attempts
            .flatMap(({ requests }) => requests)
            .map(({ method, path, status: answered, detail, error }, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- requests have no ids, and none is inserted
              <div class="faint" key={index}>
                {method} {path} <Badge kind={statusKind(answered)}>{answered ?? error ?? ''}</Badge> {detail}
              </div>
            ))}
        </li>
      ))}
    </ul>
  );
