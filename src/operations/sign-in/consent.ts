import type { Env, Rows } from '../../state/env.ts';
import { OAuthError } from '../../contract/errors.ts';
import { shortened } from '@understudy/text/suggestion';
import { currentClaims } from '../oauth/user-grant.ts';
import { subjectOfIdentity } from './complete.ts';
import type { Transaction } from './transaction.ts';

interface KnownPerson {
  subject: string;
  user_id?: string;
  email?: string | undefined;
}

/** Who signs in. The subject is empty while nobody is known. */
export function userOf(env: Env, { user_id, identity }: Transaction): KnownPerson {
  if (user_id) return { subject: user_id, user_id, email: env.users.get(user_id).email };
  return identity ? { subject: subjectOfIdentity(identity), email: identity.email } : { subject: '' };
}

/** What the user is asked to allow. undefined: the client is not one of a protected resource. */
export function termsOf(env: Env, transaction: Transaction): ConsentTerms | undefined {
  const { resource_id, client_id, scopes } = transaction;
  if (!resource_id) return undefined;
  const { subject, user_id } = userOf(env, transaction);
  return { resource_id, client_id, subject, scopes, ...(user_id && { user_id }) };
}

/**
 * Whether the user must be asked. What was allowed is remembered here, because only now the user is proved and the scopes
 * are final. An automatic sign-in allows everything.
 */
export function needsConsent(env: Env, transaction: Transaction): boolean {
  const terms = termsOf(env, transaction);
  if (!terms) return false;
  // What one user has allowed does not count for another user, who may sign in afterwards.
  const hasAllowed = terms.subject !== '' && transaction.consent_of === terms.subject;
  if (transaction.is_automatic || hasAllowed) rememberConsent(env, terms);
  if (hasAllowed) return false;
  return !isAllowed(env, terms) || transaction.prompt.includes('consent');
}

/** Without what the user left out. OpenID's own scopes stay. */
export const withoutLeftOut = (scopes: readonly string[], kept: readonly string[]): string[] =>
  scopes.filter((scope) => OPENID.has(scope) || kept.includes(scope));

export const isOptional = (scope: string): boolean => !OPENID.has(scope);

const OPENID = new Set(['openid', 'profile', 'email', 'offline_access']);

/**
 * The scopes that the user can grant. If the resource says so, these are names of the user's permissions. Throws if
 * nothing of what was asked for is left.
 */
export function grantableScopes(env: Env, transaction: Transaction): string[] {
  const { resource_id, scopes } = transaction;
  const resource = resource_id ? env.resources.get(resource_id) : undefined;
  if (!resource?.intersect_scopes_user_permission) return scopes;
  const permissions = new Set(currentClaims(env, transaction).permissions);
  const left = scopes.filter((scope) => OPENID.has(scope) || permissions.has(scope));
  if (left.length > 0 || scopes.length === 0) return left;
  throw new OAuthError('access_denied', `the user has no permission of ${shortened(scopes.join(', '))}`);
}

type Consent = Rows['consents'];

/** Who consents to what. */
type ConsentTerms = Pick<Consent, 'resource_id' | 'client_id' | 'subject' | 'scopes'> &
  Partial<Pick<Consent, 'user_id'>>;

const consentOf = (env: Env, { client_id, subject }: ConsentTerms): Consent | undefined =>
  env.consents.findBy('giver', `${client_id} ${subject}`);

/** Whether the user has allowed all of these scopes before. */
function isAllowed(env: Env, terms: ConsentTerms): boolean {
  const known = consentOf(env, terms);
  if (!known) return false;
  const allowed = new Set(known.scopes);
  return terms.scopes.every((scope) => allowed.has(scope));
}

/** Remembers what the user allows. A user has one consent for each client. */
function rememberConsent(env: Env, terms: ConsentTerms): void {
  const known = consentOf(env, terms);
  const granted_at = env.clock.iso();
  if (!known) {
    env.consents.insert({ ...terms, id: env.draw.id('usrcnst'), granted_at });
    return;
  }
  const scopes = [...new Set([...known.scopes, ...terms.scopes])];
  env.consents.update(known.id, { scopes, granted_at });
}
