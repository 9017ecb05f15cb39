import type { Env } from '../../state/env.ts';
import type { Operations } from '../handler.ts';
import type { Look } from '../../pages/page.ts';
import { termsOf } from './consent.ts';
import { transactionsOf, type Transaction } from './transaction.ts';

export const appearance = {
  AuthService_GetAuthCustomizations({ cookies }, env) {
    const running = transactionsOf(env, cookies).findLast(({ status }) => status === 'PENDING');
    const { branding = {} } = env.settings.get('settings');
    const organization = running && brandedOrganization(env, running);
    return {
      customization_settings: { ...branding },
      settings: {
        custom_branding: Object.keys(branding).length > 0,
        ...(running && termsOf(env, running)?.subject && { mcp_consent_screen_v2: false }),
      },
      ...(organization && {
        organization_customizations: {
          organization_logo_branding: branding.organization_logo ?? false,
          display_name: organization.display_name,
          ...(organization.logo_url && { logo_url: organization.logo_url }),
        },
      }),
    };
  },

  // Unverified: the docs name no switch; a comment of the vendor's .proto files names this one.
  AuthService_GetAuthFeatures: () => ({ features: { recaptcha_skip_login_signup: true } }),
} satisfies Partial<Operations>;

/** The organization whose name and logo the pages show. */
export function brandedOrganization(
  env: Env,
  { branded_organization_id, wanted_organization_id }: Transaction,
) {
  return env.organizations.find(branded_organization_id ?? wanted_organization_id ?? '');
}

/** How the pages of the sign-in look. The organization's own logo comes first if the settings want that. */
export function lookOf(env: Env, transaction: Transaction): Look {
  const { branding = {} } = env.settings.get('settings');
  const organization = branding.organization_logo ? brandedOrganization(env, transaction) : undefined;
  const own = organization?.logo_url && { address: organization.logo_url, name: organization.display_name };
  const logo =
    own || (branding.logo_url && { address: branding.logo_url, name: applicationName(env, transaction) });
  const { primary_color, background_color } = branding;
  return { ...(logo && { logo }), primary_color, background_color };
}

/** What the user signs in to. */
export const applicationName = (env: Env, { client_id }: Transaction): string =>
  env.settings.get('settings').branding?.application_name ?? env.clients.get(client_id).name;
