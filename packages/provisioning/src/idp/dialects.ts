import type { Rows } from '@understudy/core/state/env';

export type Provider = Rows['idp_apps']['provider'];
type IdpUser = Rows['idp_users'];
export type Profile = NonNullable<IdpUser['pushed']>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** How one provider speaks SCIM. */
export interface Dialect {
  /** The value of `directory_provider`. */
  directoryProvider: Rows['directories']['directory_provider'];
  /** Begins the ids of people and of groups at the provider. */
  idPrefixes: readonly [string, string];
  userAgent: string;
  /** Milliseconds after which a change is usually pushed. */
  cycle: number;
  /**
   * Milliseconds between attempts after an outage or a 429; the provider gives up after other refusals. With `undefined`,
   * it tries again in each cycle, whatever the refusal was.
   */
  pauses: readonly number[] | undefined;
  /** Milliseconds after the first attempt of a push, after which it gives up. */
  retriesFor: number;
  /** How it tests the address and the secret. */
  test: string;
  /**
   * Whether a push of everything begins with reading all pages of the directory, to find people and groups there. Other
   * providers look for each by its name.
   */
  readsPages: boolean;
  /** What it asks with when it looks for a group. */
  groupQuery: Readonly<Record<string, string>>;
  /** Whether it makes groups before it pushes people. */
  groupsFirst: boolean;
  /** What a deletion sends: some providers only deactivate. */
  deletion: 'deactivate' | 'delete';
  /** Milliseconds after which a person who left is deleted for good; undefined: never. */
  keepsLeavers: number | undefined;
  createUser(user: IdpUser): object;
  /** Sends the whole person, or only what has changed. */
  updateUser(user: IdpUser, changes: Partial<Profile>): { method: 'PUT' | 'PATCH'; body: object };
  deactivate(): object;
  createGroup(group: { display_name: string; external_id: string }, members: readonly Member[]): object;
  renameGroup(name: string, id: string): object;
  addMembers(members: readonly Member[]): object;
  removeMembers(ids: readonly string[]): object;
  /** The PATCH of `send_patch`: a mistake that SCIM does not allow. */
  wrongPatch(user: IdpUser): object;
}

export interface Member {
  value: string;
  display: string;
}

const patchOf = (...Operations: readonly object[]) => ({ schemas: [PATCH], Operations });

export const profileOf = (user: IdpUser): Profile => ({
  email: user.email,
  user_name: user.user_name,
  given_name: user.given_name ?? '',
  family_name: user.family_name ?? '',
  active: user.active,
});

const fullName = ({ given_name = '', family_name = '' }: IdpUser) => `${given_name} ${family_name}`.trim();

const plainUser = (user: IdpUser) => ({
  schemas: [USER],
  userName: user.user_name,
  externalId: user.external_id,
  name: { givenName: user.given_name ?? '', familyName: user.family_name ?? '' },
  displayName: fullName(user),
  emails: [{ primary: true, value: user.email, type: 'work' }],
  active: user.active,
});

/** The SCIM path of each member of a profile. */
const PATHS: Readonly<Record<keyof Profile, string>> = {
  email: 'emails[type eq "work"].value',
  user_name: 'userName',
  given_name: 'name.givenName',
  family_name: 'name.familyName',
  active: 'active',
};

const pathsOf = (changes: Partial<Profile>) =>
  Object.entries(changes).map(([name, value]) => [PATHS[name as keyof Profile], value] as const);

const generic: Dialect = {
  directoryProvider: undefined,
  idPrefixes: ['person-', 'group-'],
  userAgent: 'scim-client/1.0',
  cycle: 5 * MINUTE,
  pauses: [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR],
  retriesFor: DAY,
  readsPages: true,
  groupQuery: {},
  test: '/ServiceProviderConfig',
  groupsFirst: true,
  deletion: 'delete',
  keepsLeavers: undefined,
  createUser: plainUser,
  updateUser: (_, changes) => ({
    method: 'PATCH',
    body: patchOf(...pathsOf(changes).map(([path, value]) => ({ op: 'replace', path, value }))),
  }),
  deactivate: () => patchOf({ op: 'replace', path: 'active', value: false }),
  createGroup: ({ display_name, external_id }, members) => ({
    schemas: [GROUP],
    displayName: display_name,
    externalId: external_id,
    ...(members.length > 0 && { members }),
  }),
  renameGroup: (name) => patchOf({ op: 'replace', path: 'displayName', value: name }),
  addMembers: (members) => patchOf({ op: 'add', path: 'members', value: members }),
  removeMembers: (ids) => patchOf(...ids.map((id) => ({ op: 'remove', path: `members[value eq "${id}"]` }))),
  wrongPatch: () => patchOf({ op: 'deactivate', path: 'active' }),
};

// Unverified (scim/dialects-of-providers), like the other dialects: what public guides say, and no recording.
const okta: Dialect = {
  ...generic,
  directoryProvider: 'OKTA',
  idPrefixes: ['00u', '00g'],
  userAgent: 'Okta SCIM Client 1.0.0',
  cycle: HOUR,
  test: '/Users?startIndex=1&count=2',
  groupsFirst: false,
  deletion: 'deactivate',
  createUser: (user) => ({ ...plainUser(user), locale: 'en-US', groups: [] }),
  updateUser: (user) => ({
    method: 'PUT',
    body: { ...plainUser(user), id: user.scim_id, locale: 'en-US', groups: [] },
  }),
  deactivate: () => patchOf({ op: 'replace', value: { active: false } }),
  renameGroup: (name, id) => patchOf({ op: 'replace', value: { id, displayName: name } }),
  wrongPatch: () => patchOf({ op: 'remove', value: { active: true } }),
};

const capital = (value: boolean) => (value ? 'True' : 'False');

const entra: Dialect = {
  ...generic,
  directoryProvider: 'MICROSOFT_AD',
  idPrefixes: ['', ''],
  userAgent: 'Microsoft-AzureAD-SCIM/2.0',
  cycle: 40 * MINUTE,
  pauses: undefined,
  // The provisioning stops after four weeks of quarantine (Microsoft's docs, Application provisioning in quarantine status).
  retriesFor: 28 * DAY,
  readsPages: false,
  groupQuery: { excludedAttributes: 'members' },
  test: '/Users?filter=userName+eq+%22understudy-connection-test%22',
  groupsFirst: false,
  keepsLeavers: 30 * DAY,
  createUser: (user) => ({
    ...plainUser(user),
    schemas: [USER, ENTERPRISE],
    name: {
      formatted: fullName(user),
      givenName: user.given_name ?? '',
      familyName: user.family_name ?? '',
    },
    meta: { resourceType: 'User' },
  }),
  updateUser: (_, changes) => ({
    method: 'PATCH',
    body: patchOf(
      ...pathsOf(changes).map(([path, value]) => ({
        op: 'Replace',
        path,
        value: typeof value === 'boolean' ? capital(value) : value,
      })),
    ),
  }),
  deactivate: () => patchOf({ op: 'Replace', path: 'active', value: 'False' }),
  createGroup: ({ display_name, external_id }) => ({
    schemas: [GROUP],
    displayName: display_name,
    externalId: external_id,
    meta: { resourceType: 'Group' },
  }),
  renameGroup: (name) => patchOf({ op: 'Replace', path: 'displayName', value: name }),
  addMembers: (members) =>
    patchOf({ op: 'Add', path: 'members', value: members.map(({ value }) => ({ value })) }),
  removeMembers: (ids) => patchOf({ op: 'Remove', path: 'members', value: ids.map((value) => ({ value })) }),
  wrongPatch: () => patchOf({ op: 'Replace', path: 'emails[type eq "work"', value: 'x' }),
};

const google: Dialect = {
  ...generic,
  directoryProvider: 'GOOGLE',
  idPrefixes: ['1', '0'],
  userAgent: 'Google-Auto-Provisioning',
  cycle: HOUR,
  pauses: undefined,
  readsPages: false,
  test: '/Users?startIndex=1&count=1',
  groupsFirst: false,
  keepsLeavers: 20 * DAY,
  updateUser: (_, changes) => ({
    method: 'PATCH',
    body: patchOf({ op: 'replace', value: Object.fromEntries(pathsOf(changes)) }),
  }),
  deactivate: () => patchOf({ op: 'replace', value: { active: false } }),
  wrongPatch: () => ({ schemas: [PATCH], active: false }),
};

export const DIALECTS: Readonly<Record<Provider, Dialect>> = { okta, entra, google, generic };

export const PROVIDERS = Object.keys(DIALECTS) as Provider[];

/** Entra ID pushes once a day when this many pushes have failed one after the other. */
const QUARANTINE = 4;

interface Failures {
  /** The status of the refusal; 0: there was no answer. */
  status: number;
  /** Attempts of this push. */
  attempts: number;
  /** Milliseconds since the first attempt of this push. */
  since: number;
  /** Failed pushes one after the other. */
  inARow: number;
}

/** Milliseconds until the next attempt; undefined: no more. */
export function pauseAfter(
  provider: Provider,
  { status, attempts, since, inARow }: Failures,
): number | undefined {
  const { pauses, cycle, retriesFor } = DIALECTS[provider];
  if (since >= retriesFor) return undefined;
  if (!pauses) return inARow >= QUARANTINE ? DAY : cycle;
  return status === 0 || status === 429 || status >= 500 ? pauses[attempts - 1] : undefined;
}
