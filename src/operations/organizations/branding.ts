import { invalidArgument } from '../../contract/errors.ts';
import type { Env, Rows } from '../../state/env.ts';
import type { Operations } from '../handler.ts';

/** Unverified (organizations/branding-settings): no feature has to be switched on, and the settings are any JSON. */
export const branding = {
  OrganizationService_GetOrganizationBranding({ path }, env) {
    return { branding: viewBranding(env.organizations.get(path.organization_id)) };
  },

  OrganizationService_UpdateOrganizationBranding({ path, body }, env) {
    const organization = env.organizations.get(path.organization_id);
    env.decidedBy('organizations/branding-settings');
    const { source } = body;
    const settings = body.customization_settings ?? organization.branding?.customization_settings;
    if (source === 'BRANDING_SOURCE_CUSTOM' && !settings)
      throw invalidArgument('customization_settings: give some, because none are saved');
    const saved = {
      source,
      ...(settings && { customization_settings: settings }),
      update_time: env.clock.iso(),
    };
    return { branding: viewBranding(env.organizations.update(organization.id, { branding: saved })) };
  },
} satisfies Partial<Operations>;

const viewBranding = ({ branding: saved }: Rows['organizations']) =>
  saved ?? { source: 'BRANDING_SOURCE_ENVIRONMENT' as const };

type Branding = NonNullable<Rows['settings']['branding']>;

interface AppliedBranding {
  /** What the hosted pages obey. */
  branding: Branding;
  /** All that is saved, for a sign-in page of the customer's own. */
  customization_settings: Record<string, unknown>;
}

/** How the pages look for an organization: as it says itself, or as the environment says. */
export function brandingOf(env: Env, organization?: Rows['organizations']): AppliedBranding {
  const { source, customization_settings } = organization?.branding ?? {};
  if (source === 'BRANDING_SOURCE_CUSTOM' && customization_settings)
    return { branding: obeyed(customization_settings), customization_settings };
  const { branding = {} } = env.settings.get('settings');
  return { branding, customization_settings: { ...branding } };
}

const COLOR = /^#[0-9a-fA-F]{6}$/;
const LOGO = /^(https?:\/\/|data:image\/)/;

/**
 * Unverified (organizations/branding-names): the settings have the names that the setting `branding` has. Others say
 * nothing to the pages.
 */
function obeyed(settings: Record<string, unknown>): Branding {
  const text = (name: string, form: RegExp): Record<string, string> => {
    const value = settings[name];
    return typeof value === 'string' && form.test(value) ? { [name]: value } : {};
  };
  const { logo_url } = text('logo_url', LOGO);
  return {
    ...text('application_name', /^.{1,100}$/),
    ...(logo_url !== undefined && URL.canParse(logo_url) && { logo_url }),
    ...text('primary_color', COLOR),
    ...text('background_color', COLOR),
    ...(settings['organization_logo'] === true && { organization_logo: true }),
  };
}
