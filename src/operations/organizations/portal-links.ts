import { notFound } from '../../contract/errors.ts';
import type { Env, Rows } from '../../state/env.ts';
import { withEnvironmentName } from '@understudy/text/issued-code';
import type { Operations } from '../handler.ts';

export const PORTAL_LINK_LIFETIME = 60_000;

export const portalLinks = {
  OrganizationService_GeneratePortalLink({ path, query }, env) {
    const organization = env.organizations.get(path.id);
    const wanted = new Set(query.features);
    if (query.sso) wanted.add('sso');
    if (query.directory_sync) wanted.add('dir_sync');
    const token = withEnvironmentName(env, env.draw.uuid());
    const link = env.portal_links.insert({
      id: env.draw.id('lnk'),
      organization_id: organization.id,
      token,
      features: (['sso', 'dir_sync'] as const).filter((feature) => wanted.has(feature)),
      expire_time: env.clock.after(PORTAL_LINK_LIFETIME),
    });
    return { link: viewLink(env, link) };
  },

  /**
   * Unverified (portal/links-by-clients): the service lets only its dashboard list links and delete all of them.
   * Here every client may.
   */
  OrganizationService_GetPortalLinks({ path }, env) {
    env.decidedBy('portal/links-by-clients');
    const { id } = env.organizations.get(path.id);
    const open = env.portal_links.list('organization_id', id).filter((link) => isOpen(env, link));
    return { links: open.toReversed().map((link) => viewLink(env, link)) };
  },

  OrganizationService_DeletePortalLink({ path }, env) {
    env.decidedBy('portal/links-by-clients');
    const { id } = env.organizations.get(path.id);
    for (const link of env.portal_links.list('organization_id', id)) env.remove('portal_links', link.id);
    return {};
  },

  OrganizationService_DeletePortalLinkByID({ path }, env) {
    const { id } = env.organizations.get(path.id);
    const link = env.portal_links.get(path.link_id);
    if (link.organization_id !== id) throw notFound('portal link', link.id);
    env.remove('portal_links', link.id);
    return {};
  },
} satisfies Partial<Operations>;

const isOpen = (env: Env, { expire_time, used_at }: Rows['portal_links']) =>
  used_at === undefined && !env.clock.isPast(expire_time);

const viewLink = (env: Env, { id, token, expire_time }: Rows['portal_links']) => ({
  id,
  location: `${env.baseUrl}/magicLink/${token}_p`,
  expire_time,
});
