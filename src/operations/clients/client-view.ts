import type { components } from '../../contract/openapi.gen.ts';
import type { Rows } from '../../state/env.ts';
import { flawOfPage, flawOfRedirect } from '@understudy/text/addresses';
import { refuseAddresses } from '../refusals.ts';

type Client = Rows['clients'];
type Secret = Client['secrets'][number];

/** Default of organization clients in seconds (Scalekit docs, M2M overview). */
export const ORGANIZATION_CLIENT_LIFETIME = 3600;

export function viewClient(client: Client) {
  return {
    id: client.id,
    // Unverified (clients/key-id): every client has a second id with the digits of the first.
    keyId: `key_${/\d+$/.exec(client.id)?.[0] ?? client.id}`,
    create_time: client.create_time,
    update_time: client.update_time,
    secrets: client.secrets.map(viewSecret),
    post_logout_redirect_uris: client.post_logout_redirect_uris ?? [],
    back_channel_logout_uris: client.back_channel_logout_uris ?? [],
    initiate_login_uri: client.initiate_login_uri ?? '',
    post_login_uris: client.post_login_uris ?? [],
    name: client.name,
    ...(client.access_token_expiry && { access_token_expiry: String(client.access_token_expiry) }),
    scopes: client.scopes,
    custom_claims: viewClaims(client),
    disallow_scalekit_api_access: client.disallow_scalekit_api_access ?? false,
    grant_types: client.grant_types ?? [],
    client_type: client.client_type ?? 'ENV',
    enforce_pkce: client.enforce_pkce ?? false,
    ...(client.ip_allowlist && { ip_allowlist: client.ip_allowlist }),
  };
}

export function viewOrganizationClient(client: Client) {
  return {
    client_id: client.id,
    secrets: client.secrets.map(viewSecret),
    name: client.name,
    description: client.description ?? '',
    organization_id: client.organization_id ?? '',
    create_time: client.create_time,
    update_time: client.update_time,
    scopes: client.scopes,
    audience: client.audience ?? [],
    custom_claims: viewClaims(client),
    expiry: String(client.expiry ?? ORGANIZATION_CLIENT_LIFETIME),
    resource_id: '',
    redirect_uris: [],
    is_dcr: false,
    is_cimd: false,
    metadata_uri: '',
  };
}

export function viewSecret({ secret, ...known }: Secret) {
  return {
    update_time: known.create_time,
    status: 'ACTIVE' as const,
    ...known,
    secret_suffix: secret.slice(-4),
  };
}

const viewClaims = ({ custom_claims = [] }: Client) =>
  custom_claims.map(({ key, value = '' }) => ({ key, value }));

type ClientAddresses = Pick<components['schemas']['UpdateClient'], keyof typeof ADDRESS_CHECKS>;
type AddressCheck = (address: string) => string | undefined;

/** Checks each address of a client; undefined means valid. Unverified (clients/unusable-addresses): the error texts. */
const ADDRESS_CHECKS = {
  post_login_uris: flawOfRedirect,
  post_logout_redirect_uris: flawOfRedirect,
  initiate_login_uri: flawOfPage,
  back_channel_logout_uris: flawOfPage,
} satisfies Record<string, AddressCheck>;

/** Throws for addresses that no browser can be sent to or that cannot be called. */
export function refuseUnusable(given: ClientAddresses): void {
  const flaws = Object.entries(ADDRESS_CHECKS).flatMap(([name, flawOf]) => {
    const value = given[name as keyof ClientAddresses] ?? '';
    const field = `client.${name}`;
    if (typeof value === 'string') return value === '' ? [] : [[field, flawOf(value)] as const];
    return value.map((address, index) => [`${field}[${index}]`, flawOf(address)] as const);
  });
  refuseAddresses(flaws, 'clients/unusable-addresses');
}
