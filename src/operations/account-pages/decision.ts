import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import type { Answer } from '../answer.ts';
import { grantAccess, isByConsent, refuseAccess, type Ending } from '../connected-accounts/consent.ts';
import { credentialDetails, credentialFields, problemsOf } from '../connected-accounts/credential-fields.ts';
import { DENIED, failureNamed, grantedTokens } from '../connected-accounts/third-party.ts';
import type { Operations } from '../handler.ts';
import { openAuthorization, submittedAuthorization, type Authorization } from './authorization.ts';
import { askWho } from './confirmation.ts';
import { askAgain, conclude } from './conclude.ts';
import { decisionPage, FIELD_PREFIX } from './decision-page.ts';

type Form = Readonly<Record<string, string | undefined>>;

export const accountDecision = {
  AccountPage_Show({ path, cookies }, world) {
    const authorization = openAuthorization(world, path.authorization_id, cookies);
    return authorization.auth_request_id
      ? askWho(world, authorization, cookies)
      : decisionPage(world, authorization);
  },

  AccountPage_Decide({ path, cookies, body }, world) {
    const authorization = submittedAuthorization(world, path.authorization_id, cookies, body);
    // Consent was given already: the browser went back and sent it once more.
    if (authorization.auth_request_id) return askAgain(world, authorization);
    const account = world.connected_accounts.get(authorization.connected_account_id);
    const form: Form = body ?? {};
    if (form['outcome'] === 'denied')
      return conclude(world, authorization, refuseAccess(world, account, DENIED, authorization));
    if (form['outcome'] === 'failed') {
      const failure = failureNamed(form['error']);
      return conclude(world, authorization, refuseAccess(world, account, failure, authorization));
    }
    return grant(world, authorization, account, form);
  },
} satisfies Partial<Operations>;

function grant(
  world: World,
  authorization: Authorization,
  account: Rows['connected_accounts'],
  form: Form,
): Answer {
  const done = (ending: Ending) => conclude(world, authorization, ending);
  if (isByConsent(account))
    return done(grantAccess(world, account, grantedTokens(world, account), authorization));
  const fields = credentialFields(world, account);
  const entered = Object.fromEntries(
    fields.map(({ name }) => [name, form[`${FIELD_PREFIX}${name}`]?.trim() ?? '']),
  );
  const problems = problemsOf(fields, entered);
  if (problems.size > 0) return decisionPage(world, authorization, { entered, problems });
  return done(grantAccess(world, account, credentialDetails(world, account, entered), authorization));
}
