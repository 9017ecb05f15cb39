import type { Operations } from '../handler.ts';

const LIFETIME = 60_000;

export const portalLinks = {
  OrganizationService_GeneratePortalLink({ path, query }, world) {
    const organization = world.organizations.get(path.id);
    const wanted = new Set(query.features);
    if (query.sso) wanted.add('sso');
    if (query.directory_sync) wanted.add('dir_sync');
    const token = carrying(world.environment, world.draw.uuid());
    const link = world.portal_links.insert({
      id: world.draw.id('lnk'),
      organization_id: organization.id,
      token,
      features: (['sso', 'dir_sync'] as const).filter((feature) => wanted.has(feature)),
      expire_time: world.clock.after(LIFETIME),
    });
    return {
      link: { id: link.id, location: `${world.baseUrl}/magicLink/${token}_p`, expire_time: link.expire_time },
    };
  },
} satisfies Partial<Operations>;

/** Codes of other environments than `default` carry their name, so that a browser finds the way back. */
export const carrying = (environment: string, code: string) =>
  environment === 'default' ? code : `${environment}.${code}`;
