import { snakeCase } from '../../contract/proto-json.ts';
import type { components } from '../../contract/openapi.gen.ts';
import { invalidArgument } from '../../errors.ts';

type ClientUpdate = components['schemas']['UpdateClient'];
type ClientChange = { [K in keyof ClientUpdate]: ClientUpdate[K] | undefined };

const FIELDS = [
  'name',
  'back_channel_logout_uris',
  'post_logout_redirect_uris',
  'initiate_login_uri',
  'post_login_uris',
  'access_token_expiry',
  'scopes',
  'custom_claims',
  'disallow_scalekit_api_access',
  'grant_types',
  'enforce_pkce',
] as const satisfies readonly (keyof ClientUpdate)[];

/**
 * The fields that an update changes. With a mask: the named fields, emptied if the body lacks them. Without a
 * mask: every field that is not empty, because over gRPC an unset field is empty.
 */
export function chosenChanges(body: ClientUpdate, mask: string | undefined) {
  const chosen = mask ? namedIn(mask) : FIELDS.filter((field) => !isEmpty(field, body[field]));
  const change: ClientChange = Object.fromEntries(chosen.map((field) => [field, body[field]]));
  const { access_token_expiry, name, scopes, ...rest } = change;
  if (chosen.includes('name') && !name) throw invalidArgument('name of a client cannot be empty');
  return {
    ...rest,
    ...(name && { name }),
    ...(chosen.includes('scopes') && { scopes: scopes ?? [] }),
    ...(chosen.includes('access_token_expiry') && {
      access_token_expiry: Number(access_token_expiry ?? 0) || undefined,
    }),
  };
}

/** An `optional` text in protobuf can be set to empty on purpose. */
const isEmpty = (field: keyof ClientUpdate, value: ClientUpdate[keyof ClientUpdate]) =>
  value === undefined ||
  (field !== 'initiate_login_uri' && value === '') ||
  (field === 'access_token_expiry' && Number(value) === 0) ||
  (Array.isArray(value) && value.length === 0);

function namedIn(mask: string): (keyof ClientUpdate)[] {
  return mask.split(',').map((path) => {
    const name = snakeCase(path.trim()).replace(/^client\./, '');
    const field = FIELDS.find((each) => each === name);
    if (!field) throw invalidArgument(`mask names ${path.trim()}, which is not a field of a client's update`);
    return field;
  });
}
