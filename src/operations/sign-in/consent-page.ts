import type { Env } from '../../environment/env.ts';
import { consentBody } from '../../pages/sign-in/consent-form.ts';
import { Redirect, showPage, type CustomReply } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { consentDetails } from '../resources/consent-details.ts';
import { isSelfMade } from '../resources/resource-client-view.ts';
import { failSignIn } from './complete.ts';
import { termsOf } from './consent.ts';
import { nextStep } from './steps.ts';
import { openTransaction, pagePath, submittedTransaction, type Transaction } from './transaction.ts';

export const consentPage = {
  LoginPage_ShowConsent({ path, cookies }, env) {
    const transaction = openTransaction(env, path.transaction_id, cookies);
    return termsOf(env, transaction)?.subject
      ? askForConsent(env, transaction)
      : new Redirect(pagePath(transaction));
  },

  LoginPage_Consent({ path, cookies, body }, env) {
    const transaction = submittedTransaction(env, path.transaction_id, cookies, body);
    const terms = termsOf(env, transaction);
    if (!terms?.subject) return new Redirect(pagePath(transaction), { status: 303 });
    if (body?.decision === 'deny')
      return failSignIn(env, transaction, 'access_denied', 'the user denied the request', 303);
    if (body?.decision !== 'allow') return askForConsent(env, transaction, 'Choose Allow or Deny.');
    const allowed = env.login_transactions.update(transaction.id, { consent_of: terms.subject });
    return nextStep(env, allowed, cookies, 303);
  },
} satisfies Partial<Operations>;

function askForConsent(env: Env, transaction: Transaction, problem?: string): CustomReply {
  const { client_id, csrf_token, redirect_uri } = transaction;
  const { client, resource, scopes, user, organization } = consentDetails(env, transaction);
  const row = env.clients.get(client_id);
  const body = consentBody({
    action: pagePath(transaction, 'consent'),
    csrf_token,
    client: client.name || client.client_id,
    resource: resource.name,
    email: user?.email ?? '',
    organization: organization?.organization_name,
    scopes,
    redirect_uri,
    isSelfMade: isSelfMade(row),
    links: [
      ['About the client', row.client_uri],
      ['Terms', row.tos_uri],
      ['Privacy', row.policy_uri],
    ],
    problem,
    back: pagePath(transaction),
  });
  const sheet = { title: `Allow ${client.name}?`, body, leadsTo: [redirect_uri] };
  return showPage(sheet, { status: problem ? 400 : 200 });
}
