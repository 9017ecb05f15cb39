import type { Rows } from '@understudy/core/state/env';
import { isObject } from '@understudy/text/json';
import type { Resource } from '@understudy/scim/attributes';
import { readResource } from '@understudy/scim/reading';
import { ENTERPRISE_USER, GROUP, USER } from '@understudy/scim/schemas';
import { complete, filled, isPrimary, refuseLarge } from '@understudy/scim/values';
import { trackedGroups } from '@understudy/core/operations/directories/members';
import { onceForEach } from '@understudy/core/operations/lists';
import { locationOf, withFacts, withMeta } from './answers.ts';
import type { ForeignExtensions } from './foreign-extensions.ts';
import type { Pushing } from './pushing.ts';
import { refusal } from './refusals.ts';

type User = Rows['directory_users'];
type Detail = Record<string, unknown>;

/** Members of `detail` by the attribute that they come from. Unverified (scim/attribute-names): the pairs follow from the names. */
const CORE_MEMBERS = {
  nickName: 'nickname',
  title: 'title',
  userType: 'user_type',
  preferredLanguage: 'language',
  locale: 'locale',
  timezone: 'zoneinfo',
  profileUrl: 'profile',
} as const;

const ENTERPRISE_MEMBERS = {
  employeeNumber: 'employee_id',
  costCenter: 'cost_center',
  organization: 'organization',
  division: 'division',
  department: 'department',
} as const;

/** Every member of `detail` that a provider decides. */
const PUSHED: readonly string[] = [
  ...Object.values(CORE_MEMBERS),
  ...Object.values(ENTERPRISE_MEMBERS),
  'dp_id',
  'active',
  'name',
  'picture',
  'phone_number',
  'address',
  'raw_attributes',
];

/** The longest text that the API shows. Unverified (scim/long-texts): SCIM refuses a longer one. */
const LONGEST = 256;

/** What a provider decides about a user. */
interface Columns {
  email: string;
  preferred_username: string;
  given_name: string;
  family_name: string;
  emails: string[];
  detail: Detail;
  external?: true;
}

/** The row of a resource. `before`: the row that it changes. */
export function columnsOf(resource: Resource, before: User | undefined, foreign: ForeignExtensions): Columns {
  refuseLarge({ ...resource, ...foreign });
  const { userName, name, emails = [], active } = resource as PushedUser;
  const addresses = emails.flatMap(({ value }) => value ?? []);
  const email = mainOf(emails)?.value ?? (userName.includes('@') ? userName : '');
  const columns = {
    email,
    preferred_username: userName,
    given_name: name?.givenName ?? '',
    family_name: name?.familyName ?? '',
  };
  for (const [column, text] of Object.entries(columns))
    if (text.length > LONGEST)
      throw refusal(
        'invalidValue',
        `${column}: ${text.length} characters; there may be at most ${LONGEST}`,
      ).decidedBy('scim/long-texts');
  const isHidden = email === '' || (before?.external === true && before.email !== '');
  const kept = Object.entries(before?.detail ?? {}).filter(([member]) => !PUSHED.includes(member));
  const detail = { ...Object.fromEntries(kept), ...detailOf(resource, foreign), active: active ?? true };
  return { ...columns, emails: addresses, detail, ...(isHidden && { external: true }) };
}

interface Value {
  value?: string;
  formatted?: string;
  postalCode?: string;
  region?: string;
}

/** The attributes that have columns of their own. */
interface PushedUser extends Resource {
  userName: string;
  externalId?: string;
  displayName?: string;
  name?: { formatted?: string; givenName?: string; familyName?: string };
  emails?: Value[];
  photos?: Value[];
  phoneNumbers?: Value[];
  addresses?: Value[];
  active?: boolean;
}

/** The primary value, or the first. */
const mainOf = (values: readonly Value[] | undefined): Value | undefined =>
  values?.find((value) => isPrimary(value as Resource)) ?? values?.[0];

function detailOf(resource: Resource, foreign: ForeignExtensions): Detail {
  const { externalId, displayName, name, photos, phoneNumbers, addresses } = resource as PushedUser;
  const address = mainOf(addresses);
  return withoutUndefined({
    dp_id: externalId,
    name: name?.formatted ?? displayName,
    ...renamed(resource, CORE_MEMBERS),
    ...renamed((resource[ENTERPRISE_USER.id] ?? {}) as Resource, ENTERPRISE_MEMBERS),
    picture: mainOf(photos)?.value,
    phone_number: mainOf(phoneNumbers)?.value,
    address: address && {
      postal_code: address.postalCode ?? '',
      state: address.region ?? '',
      formatted: address.formatted ?? '',
    },
    raw_attributes: { ...resource, ...foreign },
  });
}

const renamed = (from: Resource, names: Readonly<Record<string, string>>): Detail =>
  Object.fromEntries(Object.entries(names).map(([attribute, member]) => [member, from[attribute]]));

function withoutUndefined(members: Detail): Detail {
  const kept: Detail = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value;
  return kept;
}

/** The user as SCIM shows it, with id, groups and `meta`. */
export const userResource = (push: Pushing, user: User): Resource =>
  withMeta(push, USER, factsOf(user), shownAttributes(push, user));

/** For filters. They read no version, and they read every user of a directory again and again. */
export const userWithoutVersion = (push: Pushing, user: User): Resource =>
  withFacts(push, USER, factsOf(user), shownAttributes(push, user, knownAttributes(user)));

/** For filters that read neither groups nor `meta`. */
export const knownAttributes = onceForEach((user: User) => ({ id: user.id, ...attributesOf(user) }));

const factsOf = ({ id, detail = {}, updated_at }: User) => ({
  id,
  created: textIn(detail, 'created_at'),
  lastModified: updated_at,
});

function shownAttributes({ env, base }: Pushing, user: User, own = attributesOf(user)): Resource {
  const groups = trackedGroups(env, user).map(({ id, display_name }) => ({
    value: id,
    $ref: locationOf({ base }, GROUP, id),
    display: display_name,
  }));
  return { ...own, ...(groups.length > 0 && { groups }) };
}

/** What a provider may change. Rows that no provider has pushed have the same attributes. */
export function attributesOf(user: User): Resource {
  const raw = pushedAttributes(user);
  const derived = derivedAttributes(user);
  if (!raw) return complete(USER, derived);
  const { externalId: _, emails, ...kept } = raw as PushedUser;
  const { externalId, userName, active, name, emails: known } = derived;
  return complete(USER, {
    ...kept,
    ...(externalId !== undefined && { externalId }),
    userName,
    ...withName(kept['name'], name),
    active,
    // Whoever changed the row without SCIM has changed its address, too.
    ...(mainOf(emails)?.value === user.email || user.email === '' ? emails && { emails } : { emails: known }),
  });
}

/** Undefined if the row has none, or others than SCIM writes. */
function pushedAttributes({ detail, preferred_username, email }: User): Resource | undefined {
  const raw = detail?.['raw_attributes'];
  if (!isObject(raw)) return undefined;
  try {
    return readResource(USER, { userName: preferred_username || email, ...raw });
  } catch {
    return undefined;
  }
}

function withName(pushed: unknown, derived: unknown): Resource {
  const { givenName: _, familyName: __, ...rest } = (pushed ?? {}) as Resource;
  const { formatted: ___, ...names } = (derived ?? {}) as Resource;
  const name = filled({ ...rest, ...names });
  return name ? { name } : {};
}

function derivedAttributes(user: User): Resource {
  const { email, preferred_username, given_name, family_name, detail = {} } = user;
  const enterprise = filled(texts(detail, ENTERPRISE_MEMBERS));
  const name = filled(
    withoutUndefined({
      formatted: textIn(detail, 'name'),
      familyName: family_name || undefined,
      givenName: given_name || undefined,
    }),
  );
  const others = user.emails.filter((each) => each !== email);
  const active = detail['active'];
  return {
    ...withoutUndefined({ externalId: textIn(detail, 'dp_id') }),
    userName: preferred_username || email,
    ...(name && { name }),
    ...texts(detail, CORE_MEMBERS),
    active: typeof active === 'boolean' ? active : true,
    ...(email !== '' && {
      emails: [{ value: email, type: 'work', primary: true }, ...others.map((value) => ({ value }))],
    }),
    ...valued('phoneNumbers', textIn(detail, 'phone_number')),
    ...valued('photos', textIn(detail, 'picture')),
    ...(enterprise && { [ENTERPRISE_USER.id]: enterprise }),
  };
}

const valued = (name: string, value: string | undefined): Resource =>
  value === undefined ? {} : { [name]: [{ value, primary: true }] };

function texts(detail: Detail, names: Readonly<Record<string, string>>): Resource {
  const found: Detail = {};
  for (const [attribute, member] of Object.entries(names)) {
    const text = textIn(detail, member);
    if (text !== undefined) found[attribute] = text;
  }
  return found;
}

/** Undefined also for an empty text. */
export function textIn(detail: Detail, member: string): string | undefined {
  const value = detail[member];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
