import { OAuthError } from '../../errors.ts';
import type { Env } from '../../environment/env.ts';
import type { Operations } from '../handler.ts';
import { clientCredentialsGrant } from './client-credentials-grant.ts';
import { codeGrant } from './code-grant.ts';
import { refreshGrant } from './refresh-grant.ts';
import type { TokenForm } from './grant-types.ts';

type Token = ReturnType<typeof clientCredentialsGrant> & { id_token?: string; refresh_token?: string };

type Grant = (env: Env, form: TokenForm, userAgent: string) => Token;

const GRANTS: Readonly<Record<string, Grant | undefined>> = {
  authorization_code: codeGrant,
  refresh_token: refreshGrant,
  client_credentials: clientCredentialsGrant,
};

export const oauthToken = {
  OAuth_Token({ body, headers }, env) {
    const { grant_type } = body ?? {};
    if (!grant_type) throw new OAuthError('invalid_request', 'grant_type missing');
    const grant = Object.hasOwn(GRANTS, grant_type) ? GRANTS[grant_type] : undefined;
    if (!grant) throw new OAuthError('unsupported_grant_type', `${grant_type} not supported`);
    return grant(env, body!, headers['user-agent'] ?? '');
  },
} satisfies Partial<Operations>;
