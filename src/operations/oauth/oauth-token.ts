import { OAuthError } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import type { Operations } from '../handler.ts';
import { clientCredentialsGrant } from './client-credentials-grant.ts';
import { codeGrant } from './code-grant.ts';
import { refreshGrant } from './refresh-grant.ts';
import type { TokenForm } from './token-form.ts';

type Token = ReturnType<typeof clientCredentialsGrant> & { id_token?: string; refresh_token?: string };

type Grant = (world: World, form: TokenForm, userAgent: string) => Token;

const GRANTS: Readonly<Record<string, Grant | undefined>> = {
  authorization_code: codeGrant,
  refresh_token: refreshGrant,
  client_credentials: clientCredentialsGrant,
};

export const oauthToken = {
  OAuth_Token({ body, headers }, world) {
    const { grant_type } = body ?? {};
    if (!grant_type) throw new OAuthError('invalid_request', 'grant_type missing');
    const grant = Object.hasOwn(GRANTS, grant_type) ? GRANTS[grant_type] : undefined;
    if (!grant) throw new OAuthError('unsupported_grant_type', `${grant_type} not supported`);
    return grant(world, body!, headers['user-agent'] ?? '');
  },
} satisfies Partial<Operations>;
