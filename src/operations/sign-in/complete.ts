import type { Env, Rows } from '../../state/env.ts';
import { Redirect, withQuery } from '../handler.ts';
import { withEnvironmentName } from '@understudy/text/issued-code';
import { writeCookie, type BrowserCookies } from '../hosted/browser.ts';
import { provingConnection } from './proving-connection.ts';
import { consentToSession, enterSession, provingConnections } from './session.ts';
import { answerIssuer, authLogOf, logSignIn, noteStep, type Transaction } from './transaction.ts';

/** Unverified (oauth/code-lifetime): the docs say about ten minutes (Scalekit docs, Complete login). */
const CODE_LIFETIME = 10 * 60_000;

/**
 * Starts or continues the user's session, if interceptors allow it, and redirects to the application with a
 * code.
 */
export function completeSignIn(
  env: Env,
  transaction: Transaction & { user_id: string },
  browser: BrowserCookies,
  status: 302 | 303,
): Redirect {
  const connection_ids = provingConnections(env, transaction, browser);
  const custom_claims = consentToSession(env, { transaction, connection_ids });
  const session = enterSession(env, transaction, browser);
  if (transaction.session_id === undefined) noteLogin(env, session);
  const { user_id, organization_id } = session;
  const { code } = issueCode(env, transaction, {
    subject: user_id,
    user_id,
    session_id: session.id,
    connection_ids,
    ...(organization_id && { organization_id }),
    ...(custom_claims && { custom_claims }),
    ...(transaction.max_age !== undefined && {
      authenticated_at: session.authenticated_at ?? session.created_at,
    }),
  });
  const cookies = session.cookie ? [writeCookie(env, 'understudy_session', session.cookie)] : [];
  const { id, organization_id: entered, redirect_uri, state } = transaction;
  const organization = entered && { organization_id: entered };
  const ended = { status: 'COMPLETED', user_id, ...organization } as const;
  logSignIn(env, env.login_transactions.update(id, ended), 'SUCCESS');
  noteStep(env, transaction, 'Callback to application');
  const iss = answerIssuer(env, transaction);
  return new Redirect(withQuery(redirect_uri, { code, state, iss }), { status, cookies });
}

/** Continuing an existing session is no new login. */
function noteLogin(env: Env, { user_id }: Rows['sessions']): void {
  env.users.update(user_id, { last_login_time: env.clock.iso() });
}

/** How the user proved their identity, and what the tokens will contain of it. */
type CodeSubject = Pick<Rows['authorization_codes'], 'subject' | 'connection_ids'> &
  Partial<
    Pick<
      Rows['authorization_codes'],
      'user_id' | 'session_id' | 'organization_id' | 'custom_claims' | 'authenticated_at'
    >
  >;

function issueCode(
  env: Env,
  {
    id,
    client_id,
    redirect_uri,
    scopes,
    nonce,
    code_challenge,
    resource,
    resource_id,
    identity,
  }: Transaction,
  proof: CodeSubject,
): Rows['authorization_codes'] {
  return env.authorization_codes.insert({
    ...proof,
    id: env.draw.id('authc'),
    code: withEnvironmentName(env, env.draw.text(40)),
    client_id,
    redirect_uri,
    scopes,
    auth_request_id: authLogOf({ id }),
    created_at: env.clock.iso(),
    expires_at: env.clock.after(CODE_LIFETIME),
    ...(nonce && { nonce }),
    ...(code_challenge && { code_challenge }),
    ...(resource && { resource }),
    ...(resource_id && { resource_id }),
    ...(identity && { identity }),
  });
}

/** Ends the sign-in and redirects to the application with an error. */
export function failSignIn(
  env: Env,
  transaction: Transaction,
  error: string,
  error_description: string,
  status: 302 | 303 = 302,
): Redirect {
  const { id, redirect_uri, state } = transaction;
  const failure = { id: env.draw.id('err'), error, error_description };
  logSignIn(env, env.login_transactions.update(id, { status: 'FAILED', failure }), 'FAILED');
  noteStep(env, transaction, 'Callback to application');
  const iss = answerIssuer(env, transaction);
  return new Redirect(withQuery(redirect_uri, { error, error_description, state, iss }), { status });
}

/** The claim `sub` of somebody without a user record. */
export const subjectOfIdentity = ({
  connection_id = '',
  subject,
  email,
}: NonNullable<Transaction['identity']>): string => `${connection_id};${subject ?? email}`;

/**
 * Without full-stack authentication the application keeps its own users and sessions: its code carries only
 * what the connection says, and no user is stored (Scalekit docs, ID token claims).
 */
export function completeModularSignIn(
  env: Env,
  transaction: Transaction & { identity: NonNullable<Transaction['identity']> },
  status: 302 | 303,
): Redirect {
  const { id, identity, redirect_uri, state } = transaction;
  const connection_id = provingConnection(env, transaction);
  const { code } = issueCode(env, transaction, {
    subject: subjectOfIdentity(identity),
    connection_ids: connection_id === undefined ? [] : [connection_id],
  });
  logSignIn(env, env.login_transactions.update(id, { status: 'COMPLETED', identity }), 'SUCCESS');
  noteStep(env, transaction, 'Callback to application');
  const iss = answerIssuer(env, transaction);
  return new Redirect(withQuery(redirect_uri, { code, state, iss }), { status });
}
