import { invalidArgument } from '../../errors.ts';
import { page } from '../../world/page.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { mergeFeatures } from './features.ts';
import type { Operations } from '../handler.ts';
import { pageSize } from '../page-size.ts';
import { removeUserIfHomeless } from '../users/users.ts';

type Organization = Rows['organizations'];

export const organizations = {
  OrganizationService_ListOrganization({ query }, world) {
    const by = query.external_id ? (['external_id', query.external_id] as const) : undefined;
    const size = pageSize(query.page_size, world);
    const { rows, ...rest } = page(world.organizations, { size, token: query.page_token, by });
    return { ...rest, organizations: rows.map(view) };
  },

  OrganizationService_CreateOrganization({ body }, world) {
    const { external_id, slug, logo_url, region_code } = body;
    refuseTaken(world, body);
    const now = world.clock.iso();
    const organization = world.organizations.insert({
      id: world.draw.id('org'),
      create_time: now,
      update_time: now,
      display_name: body.display_name,
      region_code: region_code === 'EU' ? 'EU' : 'US',
      metadata: body.metadata ?? {},
      ...(external_id && { external_id }),
      ...(slug && { slug }),
      ...(logo_url && { logo_url }),
    });
    return { organization: view(organization) };
  },

  OrganizationService_GetOrganization({ path }, world) {
    return { organization: view(world.organizations.get(path.id)) };
  },

  OrganizationService_UpdateOrganization({ path, body }, world) {
    const organization = world.organizations.get(path.id);
    refuseTaken(world, body, organization);
    const { external_id, slug, logo_url } = body;
    // Unverified: metadata is replaced as a whole, and an empty external_id is taken away.
    const updated = world.organizations.update(organization.id, {
      update_time: world.clock.iso(),
      ...(body.display_name !== undefined && { display_name: body.display_name }),
      ...(body.metadata && { metadata: body.metadata }),
      ...(external_id !== undefined && { external_id: external_id || undefined }),
      ...(slug !== undefined && { slug: slug || undefined }),
      ...(logo_url !== undefined && { logo_url: logo_url || undefined }),
    });
    return { organization: view(updated) };
  },

  OrganizationService_DeleteOrganization({ path }, world) {
    const { id } = world.organizations.get(path.id);
    const members = new Set(world.memberships.list('organization_id', id).map(({ user_id }) => user_id));
    world.remove('organizations', id);
    for (const user of members) removeUserIfHomeless(world, user);
    return {};
  },

  OrganizationService_UpdateOrganizationSettings({ path, body }, world) {
    const organization = world.organizations.get(path.id);
    const features = mergeFeatures(organization.settings?.features ?? [], body.features ?? []);
    const updated = world.organizations.update(organization.id, {
      settings: { features },
      update_time: world.clock.iso(),
    });
    return { organization: view(updated) };
  },
} satisfies Partial<Operations>;

/** Without what the service keeps to itself. */
function view(organization: Organization) {
  const { max_allowed_users: _, session_policy: __, default_member_role_id: ___, ...shown } = organization;
  return shown;
}

/** External ids and slugs are the caller's own keys: unique in an environment, free again when the organization goes. */
function refuseTaken(
  world: World,
  wanted: { external_id?: string; slug?: string },
  own?: Organization,
): void {
  for (const key of ['external_id', 'slug'] as const) {
    const value = wanted[key];
    const taken = value ? world.organizations.findBy(key, value) : undefined;
    if (taken && taken.id !== own?.id) throw invalidArgument(`duplicate ${key} ${value}`);
  }
}
