import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { CustomReply } from '../custom-reply.ts';
import {
  DENIED,
  failureNamed,
  grantAccess,
  grantedTokens,
  isByConsent,
  refuseAccess,
  type AuthorizationResult,
} from '../connected-accounts/consent.ts';
import { credentialDetails, credentialFields, problemsOf } from '../connected-accounts/credential-fields.ts';
import type { Operations } from '../handler.ts';
import { openAuthorization, submittedAuthorization, type Authorization } from './authorization.ts';
import { askWho } from './confirmation.ts';
import { decisionPage, FIELD_PREFIX } from './decision-page.ts';
import { redirectToPage, finishAuthorization } from './outcome.ts';

type FormFields = Readonly<Record<string, string | undefined>>;

export const accountDecision = {
  AccountPage_Show({ path, cookies }, env) {
    const authorization = openAuthorization(env, path.authorization_id, cookies);
    return authorization.auth_request_id
      ? askWho(env, authorization, cookies)
      : decisionPage(env, authorization);
  },

  AccountPage_Decide({ path, cookies, body }, env) {
    const authorization = submittedAuthorization(env, path.authorization_id, cookies, body);
    // Consent was given already: the browser went back and sent the form again.
    if (authorization.auth_request_id) return redirectToPage(env, authorization);
    const account = env.connected_accounts.get(authorization.connected_account_id);
    const form: FormFields = body ?? {};
    if (form['outcome'] === 'denied')
      return finishAuthorization(env, authorization, refuseAccess(env, account, DENIED, authorization));
    if (form['outcome'] === 'failed') {
      const failure = failureNamed(form['error']);
      return finishAuthorization(env, authorization, refuseAccess(env, account, failure, authorization));
    }
    return grant(env, authorization, account, form);
  },
} satisfies Partial<Operations>;

function grant(
  env: Env,
  authorization: Authorization,
  account: Rows['connected_accounts'],
  form: FormFields,
): CustomReply {
  const done = (ending: AuthorizationResult) => finishAuthorization(env, authorization, ending);
  if (isByConsent(account))
    return done(grantAccess(env, account, grantedTokens(env, account), authorization));
  const fields = credentialFields(env, account);
  const entered = Object.fromEntries(
    fields.map(({ name }) => [name, form[`${FIELD_PREFIX}${name}`]?.trim() ?? '']),
  );
  const problems = problemsOf(fields, entered);
  if (problems.size > 0) return decisionPage(env, authorization, { entered, problems });
  return done(grantAccess(env, account, credentialDetails(env, account, entered), authorization));
}
