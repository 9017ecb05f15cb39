/** Identity providers that the portal offers; the simulated one needs no settings. */
export const PROVIDERS = [
  ['OKTA', 'Okta'],
  ['MICROSOFT_AD', 'Microsoft Entra ID'],
  ['GOOGLE', 'Google Workspace'],
  ['JUMPCLOUD', 'JumpCloud'],
  ['ONELOGIN', 'OneLogin'],
  ['PING_IDENTITY', 'Ping Identity'],
  ['AUTH0', 'Auth0'],
  ['ADFS', 'Microsoft AD FS'],
  ['CUSTOM', 'Another provider'],
  ['IDP_SIMULATOR', 'Simulated provider'],
] as const;

const WITHOUT_DIRECTORY: readonly string[] = ['ADFS', 'CUSTOM', 'IDP_SIMULATOR'];

export const DIRECTORY_PROVIDERS = PROVIDERS.filter(([value]) => !WITHOUT_DIRECTORY.includes(value));

/** The provider's display name, or its key if the portal does not offer it. */
export const providerLabel = (provider = 'CUSTOM'): string =>
  PROVIDERS.find(([value]) => value === provider)?.[1] ?? provider;
