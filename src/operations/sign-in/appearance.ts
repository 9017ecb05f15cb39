import type { Env } from '../../state/env.ts';
import type { Operations } from '../handler.ts';
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
