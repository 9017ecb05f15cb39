import { ApiError, invalidArgument } from '../../contract/errors.ts';
import type { Env, Rows } from '../../state/env.ts';
import type { Operations } from '../handler.ts';
import { baseClaims } from '../oauth/user-grant.ts';
import { TemplateError } from './template-expression.ts';
import { PATHS, RESERVED_CLAIMS, type TokenOwner } from './template-variables.ts';
import { evaluateTemplate, flawOfTemplate, type Template } from './token-claims.ts';

const ID = 'token_template';

export const tokenTemplates = {
  InterceptorService_GetTokenTemplate: (_, env) => ({ config: viewTemplate(savedTemplate(env)) }),

  InterceptorService_UpsertTokenTemplate({ body: { template } }, env) {
    refuseFlawed(template);
    const now = env.clock.iso();
    const saved = env.token_templates.find(ID)
      ? env.token_templates.update(ID, { template, updated_at: now })
      : env.token_templates.insert({ id: ID, template, enabled: false, created_at: now, updated_at: now });
    return { config: viewTemplate(saved) };
  },

  InterceptorService_DeleteTokenTemplate(_, env) {
    env.remove('token_templates', savedTemplate(env).id);
    return {};
  },

  InterceptorService_EnableTokenTemplate: (_, env) => switchTemplate(env, true),

  InterceptorService_DisableTokenTemplate: (_, env) => switchTemplate(env, false),

  InterceptorService_PreviewTokenTemplate({ body }, env) {
    const template = body.template ?? savedTemplate(env).template;
    refuseFlawed(template);
    const { id: user_id } = env.users.get(body.user_id);
    const wanted = body.organization_id && env.organizations.get(body.organization_id).id;
    const organization_id = wanted ?? env.memberships.findBy('user_id', user_id)?.organization_id;
    return preview(env, template, { user_id, organization_id });
  },

  InterceptorService_GetTokenTemplateContext: () => ({
    variables: PATHS,
    accesstoken_reserved_claims: RESERVED_CLAIMS,
  }),
} satisfies Partial<Operations>;

function preview(env: Env, template: Template, owner: TokenOwner & { user_id: string }) {
  try {
    const { claims, omitted_keys } = evaluateTemplate(env, template, owner);
    return { claims, omitted_keys, token_preview: { ...claims, ...baseClaims(env, owner) } };
  } catch (thrown) {
    if (!(thrown instanceof TemplateError || thrown instanceof RangeError)) throw thrown;
    // Unverified (interceptors/preview-error-code): the code.
    env.decidedBy('interceptors/preview-error-code');
    return { omitted_keys: [], error: { code: 'EVALUATION_FAILED', message: thrown.message } };
  }
}

function refuseFlawed(template: Template): void {
  const flaw = flawOfTemplate(template);
  if (flaw !== undefined) throw invalidArgument(flaw);
}

function savedTemplate(env: Env): Rows['token_templates'] {
  const saved = env.token_templates.find(ID);
  if (saved) return saved;
  throw new ApiError('not_found', 'the environment has no token template', {
    why: { kind: 'unknown' },
  });
}

function switchTemplate(env: Env, enabled: boolean) {
  const saved = savedTemplate(env);
  if (saved.enabled !== enabled) env.token_templates.update(ID, { enabled, updated_at: env.clock.iso() });
  return {};
}

const viewTemplate = ({ id: _, ...shown }: Rows['token_templates']) => shown;
