import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';

type Consent = Rows['consents'];

/** Who consents to what. */
export type ConsentTerms = Pick<Consent, 'resource_id' | 'client_id' | 'subject' | 'scopes'> &
  Partial<Pick<Consent, 'user_id'>>;

const consentOf = (env: Env, { client_id, subject }: ConsentTerms): Consent | undefined =>
  env.consents.findBy('giver', `${client_id} ${subject}`);

/** Whether the user has allowed all of these scopes before. */
export function isAllowed(env: Env, terms: ConsentTerms): boolean {
  const known = consentOf(env, terms);
  if (!known) return false;
  const allowed = new Set(known.scopes);
  return terms.scopes.every((scope) => allowed.has(scope));
}

/** Remembers what the user allows. A user has one consent for each client. */
export function rememberConsent(env: Env, terms: ConsentTerms): void {
  const known = consentOf(env, terms);
  const granted_at = env.clock.iso();
  if (!known) {
    env.consents.insert({ ...terms, id: env.draw.id('usrcnst'), granted_at });
    return;
  }
  const scopes = [...new Set([...known.scopes, ...terms.scopes])];
  env.consents.update(known.id, { scopes, granted_at });
}
