import type { Env } from '../../state/env.ts';
import type { Operations } from '../handler.ts';
import type { Look } from '../../pages/page.ts';
import { brandingOf } from '../organizations/branding.ts';
import { termsOf } from './consent.ts';
import { transactionsOf, type Transaction } from './transaction.ts';

export const appearance = {
  AuthService_GetAuthCustomizations({ cookies }, env) {
    const running = transactionsOf(env, cookies).findLast(({ status }) => status === 'PENDING');
    const organization = running && brandedOrganization(env, running);
    const { branding, customization_settings } = brandingOf(env, organization);
    return {
      customization_settings,
      settings: {
        custom_branding: Object.keys(customization_settings).length > 0,
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

  // Unverified (sign-in/features): the docs name no switch; a comment of the vendor's .proto files names this one.
  AuthService_GetAuthFeatures(_, env) {
    env.decidedBy('sign-in/features');
    return { features: { recaptcha_skip_login_signup: true } };
  },
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
  const organization = brandedOrganization(env, transaction);
  const { branding } = brandingOf(env, organization);
  const own = branding.organization_logo &&
    organization?.logo_url && { address: organization.logo_url, name: organization.display_name };
  const logo =
    own || (branding.logo_url && { address: branding.logo_url, name: applicationName(env, transaction) });
  const { primary_color, background_color } = branding;
  return { ...(logo && { logo }), primary_color, background_color };
}

/** What the user signs in to. */
export const applicationName = (env: Env, transaction: Transaction): string =>
  brandingOf(env, brandedOrganization(env, transaction)).branding.application_name ??
  env.clients.get(transaction.client_id).name;
