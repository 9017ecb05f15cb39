import type { Env, Rows } from '../../state/env.ts';
import { FEATURE_SPELLINGS } from '../../state/tables/organizations.ts';
import { page } from '../../rows/page.ts';
import { invalidArgument } from '../../contract/errors.ts';
import { taken } from '../conflicts.ts';
import { chosenFields } from '../update-mask.ts';
import type { Operations } from '../handler.ts';
import { listing, searching, textSearch } from '../lists.ts';
import { removeUserWithoutMemberships } from '../users/users.ts';
import { given } from '@understudy/text/json';

type Organization = Rows['organizations'];

export const organizations = {
  OrganizationService_ListOrganization({ query }, env) {
    const by = query.external_id ? (['external_id', query.external_id] as const) : undefined;
    const { rows, ...rest } = page(env.organizations, { ...listing(query, env), by });
    return { ...rest, organizations: rows.map(viewOrganization) };
  },

  OrganizationService_SearchOrganization({ query }, env) {
    const { rows, ...rest } = page(env.organizations, {
      ...searching(query, env),
      where: searchOrganizations(query.query),
    });
    return { ...rest, organizations: rows.map(viewOrganization) };
  },

  OrganizationService_CreateOrganization({ body }, env) {
    const { external_id, slug, logo_url, region_code } = body;
    refuseTaken(env, body);
    const now = env.clock.iso();
    const organization = env.organizations.insert({
      id: env.draw.id('org'),
      create_time: now,
      update_time: now,
      display_name: body.display_name,
      region_code: region_code === 'EU' ? 'EU' : 'US',
      metadata: body.metadata ?? {},
      ...(external_id && { external_id }),
      ...(slug && { slug }),
      ...(logo_url && { logo_url }),
    });
    return { organization: viewOrganization(organization) };
  },

  OrganizationService_GetOrganization({ path }, env) {
    return { organization: viewOrganization(env.organizations.get(path.id)) };
  },

  OrganizationService_GetOrganizationByExternalId({ path, query }, env) {
    if (query.id !== undefined) throw invalidArgument('id and external_id are mutually exclusive');
    const organization = env.organizations.getBy('external_id', path.external_id);
    const own = env.caller?.organization_id;
    if (own !== undefined && own !== organization.id)
      throw invalidArgument(`the client belongs to another organization than ${path.external_id}`);
    return { organization: viewOrganization(organization) };
  },

  OrganizationService_UpdateOrganization({ path, query, body }, env) {
    const organization = env.organizations.get(path.id);
    const chosen = chosenFields(body, query.update_mask, { fields: FIELDS, noun: 'organization', isGiven });
    refuseTaken(env, chosen, organization);
    const { display_name, metadata = {}, external_id, slug, logo_url } = chosen;
    if ('display_name' in chosen && !display_name)
      throw invalidArgument('display_name of an organization cannot be empty');
    // Unverified (organizations/metadata-in-update): metadata is replaced as a whole, and an empty external_id removes
    // it.
    if ('metadata' in chosen || external_id === '') env.decidedBy('organizations/metadata-in-update');
    const updated = env.organizations.update(organization.id, {
      update_time: env.clock.iso(),
      ...given({ display_name }),
      ...('metadata' in chosen && { metadata }),
      ...('external_id' in chosen && { external_id: external_id || undefined }),
      ...('slug' in chosen && { slug: slug || undefined }),
      ...('logo_url' in chosen && { logo_url: logo_url || undefined }),
    });
    return { organization: viewOrganization(updated) };
  },

  OrganizationService_DeleteOrganization({ path }, env) {
    const { id } = env.organizations.get(path.id);
    const members = new Set(env.memberships.list('organization_id', id).map(({ user_id }) => user_id));
    env.remove('organizations', id);
    for (const user of members) removeUserWithoutMemberships(env, user);
    return {};
  },

  OrganizationService_UpdateOrganizationSettings({ path, body }, env) {
    const organization = env.organizations.get(path.id);
    const features = mergeFeatures(organization.settings?.features ?? [], body.features ?? []);
    const updated = env.organizations.update(organization.id, {
      settings: { features },
      update_time: env.clock.iso(),
    });
    return { organization: viewOrganization(updated) };
  },
} satisfies Partial<Operations>;

const searchOrganizations = textSearch<Organization>((row) => [row.display_name, row.id, row.external_id]);

const FIELDS = ['display_name', 'external_id', 'metadata', 'slug', 'logo_url'] as const;

/** An empty text removes the field. */
const isGiven = (value: unknown) => value !== undefined;

function viewOrganization(organization: Organization) {
  const {
    max_allowed_users: _,
    session_policy: __,
    default_member_role_id: ___,
    branding: ____,
    ...shown
  } = organization;
  return shown;
}

/**
 * External ids and slugs are the caller's own keys: unique in an environment, free again after the
 * organization is deleted.
 */
function refuseTaken(
  env: Env,
  wanted: { external_id?: string | undefined; slug?: string | undefined },
  own?: Organization,
): void {
  for (const key of ['external_id', 'slug'] as const) {
    const value = wanted[key];
    const other = value ? env.organizations.findBy(key, value) : undefined;
    if (other && other.id !== own?.id)
      throw taken(env, 'ownKey', { key: value!, where: key, by: other }, 'organizations');
  }
}

interface Feature {
  name: string;
  enabled: boolean;
}

/**
 * Each line lists spellings of one toggle; the spelling that was set last is returned. SDKs read SSO and
 * directory sync first.
 */
const TOGGLES: readonly (readonly string[])[] = [
  FEATURE_SPELLINGS.sso,
  FEATURE_SPELLINGS.dir_sync,
  ['domain_verification'],
  ['session_policy'],
];

const toggleOf = (name: string) => TOGGLES.findIndex((spellings) => spellings.includes(name));

/** Merges the given features; others stay as they are. */
function mergeFeatures(present: readonly Feature[], given: readonly Feature[]): Feature[] {
  const toggles = new Map(present.map((feature) => [toggleOf(feature.name), feature]));
  for (const feature of given) {
    const toggle = toggleOf(feature.name);
    if (toggle < 0) throw unsupported(feature.name);
    toggles.set(toggle, { name: feature.name, enabled: feature.enabled });
  }
  return [...toggles].toSorted(([a], [b]) => a - b).map(([, feature]) => feature);
}

function unsupported(name: string) {
  return invalidArgument(`feature ${name} is not supported; known: ${TOGGLES.flat().join(', ')}`);
}

export const userManagement = {
  OrganizationService_GetOrganizationUserManagementSetting({ path }, env) {
    return { settings: viewSettings(env.organizations.get(path.organization_id)) };
  },

  OrganizationService_UpsertUserManagementSettings({ path, body }, env) {
    const { id } = env.organizations.get(path.organization_id);
    const { max_allowed_users } = body.settings;
    // Unverified (organizations/user-limit-in-update): the settings are replaced as a whole, so that the limit can be
    // removed.
    if (max_allowed_users === undefined) env.decidedBy('organizations/user-limit-in-update');
    return { settings: viewSettings(env.organizations.update(id, { max_allowed_users })) };
  },
} satisfies Partial<Operations>;

/** A limit that was never set is left out, but 0 is shown. */
const viewSettings = ({ max_allowed_users }: Rows['organizations']) =>
  max_allowed_users === undefined ? {} : { max_allowed_users };
