import type { Input } from '../../contract/types.ts';
import { shortened } from '@understudy/text/suggestion';
import { OAuthError } from '../../contract/errors.ts';
import type { Env } from '../../state/env.ts';
import type { Operations } from '../handler.ts';
import { resourceOf, type ResourcePath } from '../resources/resource.ts';
import { clientCredentialsGrant } from './client-credentials-grant.ts';
import { codeGrant } from './code-grant.ts';
import { refreshGrant } from './refresh-grant.ts';
import { JWT_BEARER, type TokenForm } from './grant-types.ts';
import { jwtBearerGrant } from './jwt-bearer-grant.ts';

type Token = ReturnType<typeof clientCredentialsGrant> & { id_token?: string; refresh_token?: string };

type Grant = (env: Env, form: TokenForm, userAgent: string) => Token;

const GRANTS: Readonly<Record<string, Grant | undefined>> = {
  authorization_code: codeGrant,
  refresh_token: refreshGrant,
  client_credentials: clientCredentialsGrant,
  [JWT_BEARER]: jwtBearerGrant,
};

const unsupported = (type: string) =>
  new OAuthError('unsupported_grant_type', `${type} not supported`, {
    why: {
      kind: 'protocol',
      says: `there is no grant type ${shortened(type)}, only ${Object.keys(GRANTS).join(', ')}`,
    },
  });

type TokenInput = Input<'OAuth_Token'> & { path: ResourcePath };

export const oauthToken = {
  OAuth_Token({ path, body, headers }: TokenInput, env: Env) {
    const at_resource = resourceOf(env, path)?.id;
    const { grant_type } = body ?? {};
    if (!grant_type) throw new OAuthError('invalid_request', 'grant_type missing');
    const grant = Object.hasOwn(GRANTS, grant_type) ? GRANTS[grant_type] : undefined;
    if (!grant) throw unsupported(grant_type);
    return grant(env, { ...body!, at_resource }, headers['user-agent'] ?? '');
  },
} satisfies Partial<Operations>;
