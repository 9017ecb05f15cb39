import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { carrying } from '../environment-mark.ts';
import type { Operations } from '../handler.ts';

const LIFETIME = 60_000;

export const portalLinks = {
  OrganizationService_GeneratePortalLink({ path, query }, world) {
    const organization = world.organizations.get(path.id);
    const wanted = new Set(query.features);
    if (query.sso) wanted.add('sso');
    if (query.directory_sync) wanted.add('dir_sync');
    const token = carrying(world, world.draw.uuid());
    const link = world.portal_links.insert({
      id: world.draw.id('lnk'),
      organization_id: organization.id,
      token,
      features: (['sso', 'dir_sync'] as const).filter((feature) => wanted.has(feature)),
      expire_time: world.clock.after(LIFETIME),
    });
    return { link: viewLink(world, link) };
  },

  /** Unverified: the service lets only its dashboard list and delete links; here every client may. */
  OrganizationService_GetPortalLinks({ path }, world) {
    const { id } = world.organizations.get(path.id);
    const open = world.portal_links.list('organization_id', id).filter((link) => isOpen(world, link));
    return { links: open.toReversed().map((link) => viewLink(world, link)) };
  },

  OrganizationService_DeletePortalLink({ path }, world) {
    const { id } = world.organizations.get(path.id);
    for (const link of world.portal_links.list('organization_id', id)) world.remove('portal_links', link.id);
    return {};
  },
} satisfies Partial<Operations>;

const isOpen = (world: World, { expire_time, used_at }: Rows['portal_links']) =>
  used_at === undefined && !world.clock.isPast(expire_time);

const viewLink = (world: World, { id, token, expire_time }: Rows['portal_links']) => ({
  id,
  location: `${world.baseUrl}/magicLink/${token}_p`,
  expire_time,
});
