import type { Env } from '../../environment/env.ts';
import { page } from '../../environment/rows/page.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { ApiError, notFound } from '../../errors.ts';
import type { Operations } from '../handler.ts';
import { containsText, pageSize } from '../lists.ts';
import { consentDetails } from './consent-details.ts';
import { viewConsent } from './consent-view.ts';

type Consent = Rows['consents'];

const MOST = 30;

export const consents = {
  ClientService_ListResourceUserConsents({ query }, env) {
    const { id } = env.resources.get(query.resource_id);
    const { search } = query;
    const { rows, ...rest } = page(env.consents, {
      size: pageSize(query.page_size, env, MOST),
      token: query.page_token,
      by: ['resource_id', id],
      where: search ? (consent) => isFound(env, consent, search) : undefined,
    });
    return { ...rest, consents: rows.map((each) => viewConsent(env, each)) };
  },

  ClientService_ListCurrentAgentConsents({ query }, env) {
    const { rows, ...rest } = page(env.consents, {
      size: pageSize(query.page_size, env, MOST),
      token: query.page_token,
      by: ['user_id', callingUser(env)],
    });
    return { ...rest, consents: rows.map((each) => viewConsent(env, each)) };
  },

  ClientService_RevokeCurrentAgentConsent({ path }, env) {
    const consent = env.consents.find(path.consent_id);
    // Another user's consent is not found, so nobody learns that it exists.
    if (consent?.user_id !== callingUser(env)) throw notFound('consent', path.consent_id);
    revoke(env, consent);
    return {};
  },

  ClientService_RevokeUserConsent({ path }, env) {
    const consent = env.consents.find(path.consent_id);
    if (consent?.client_id !== path.client_id) throw notFound('consent', path.consent_id);
    revoke(env, consent);
    return {};
  },

  ClientService_GetConsentDetails({ cookies }, env) {
    const secret = cookies.understudy_login;
    const transaction = secret ? env.login_transactions.list('asks_consent', secret).at(-1) : undefined;
    if (!transaction)
      throw new ApiError(
        'not_found',
        'no sign-in of this browser waits for consent: start again at the client',
      );
    return consentDetails(env, transaction);
  },
} satisfies Partial<Operations>;

function callingUser({ caller }: Env): string {
  if (caller?.user_id) return caller.user_id;
  throw new ApiError('permission_denied', 'the subject of the token is not a user of the environment');
}

function isFound(env: Env, consent: Consent, search: string): boolean {
  const { external_user_id, client_id, client_name } = viewConsent(env, consent);
  const user = consent.user_id ? env.users.find(consent.user_id) : undefined;
  return containsText(search, [external_user_id, client_id, client_name, user?.email]);
}

/** Access tokens stay valid until they expire (Scalekit docs, Managing MCP clients). */
function revoke(env: Env, { id, client_id, subject }: Consent): void {
  env.remove('consents', id);
  const revoked_at = env.clock.iso();
  for (const token of env.refresh_tokens.list('client_id', client_id))
    if (token.subject === subject && !token.revoked_at) env.refresh_tokens.update(token.id, { revoked_at });
}
