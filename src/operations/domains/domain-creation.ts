import { domainToASCII } from 'node:url';
import type { Env, Rows } from '../../state/env.ts';
import { invalidArgument } from '../../contract/errors.ts';
import { taken } from '../conflicts.ts';

type Domain = Rows['domains'];
type NewDomain = Pick<Domain, 'domain' | 'domain_type'>;

/**
 * Domains that API callers add count as verified: an administrator answers for the domain of an organization, and one for
 * e-mail addresses needs no proof (Scalekit docs, Organization domains).
 */
const VERIFIED_STATUS = {
  ORGANIZATION_DOMAIN: { verification_status: 'VERIFIED', verification_method: 'ADMIN' },
  ALLOWED_EMAIL_DOMAIN: { verification_status: 'AUTO_VERIFIED', verification_method: 'NOT_APPLICABLE' },
} as const;

const DAY = 86_400_000;
/** Unverified (domains/time-to-prove): how long the service looks for the TXT record. */
export const VERIFICATION_WINDOW = 3 * DAY;

/**
 * Adds a verified domain, or a pending one that a TXT record has to prove. Throws if the name is not allowed.
 */
export function addDomain(env: Env, organization_id: string, wanted: NewDomain, method?: 'DNS'): Domain {
  const { domain_type } = wanted;
  const domain = normalizeName(wanted.domain);
  refuseTaken(env, organization_id, { domain, domain_type });
  const now = env.clock.iso();
  return env.domains.insert({
    id: env.draw.id('dom'),
    organization_id,
    domain,
    domain_type,
    ...(method === 'DNS' ? pending(env) : { ...VERIFIED_STATUS[domain_type], ...NO_RECORD }),
    create_time: now,
    update_time: now,
  });
}

const NO_RECORD = { txt_record_key: '', txt_record_secret: '' };

const pending = (env: Env) =>
  ({
    verification_status: 'PENDING',
    verification_method: 'DNS',
    txt_record_key: 'scalekit-domain-verification',
    txt_record_secret: `sk_dom_verify_${env.draw.text(24)}`,
    verify_before: env.clock.after(VERIFICATION_WINDOW),
  }) as const;

/**
 * Unverified (domains/same-name): an organization domain belongs to one organization only; an allowed e-mail domain may
 * be in several.
 */
function refuseTaken(env: Env, organizationId: string, { domain, domain_type }: NewDomain): void {
  const by = env.domains
    .list('domain', domain)
    .find(
      (other) =>
        other.domain_type === domain_type &&
        (domain_type === 'ORGANIZATION_DOMAIN' || other.organization_id === organizationId),
    );
  if (by) throw taken(env, 'domain', { key: domain, by }, 'domains').decidedBy('domains/same-name');
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);
/** RFC 1035 2.3.4, without the dot of the root. */
const LONGEST = 253;
/** Minimum length in the contract. */
const SHORTEST = 4;

// Unverified (domains/public-providers): the service's own list of public providers is unknown. This one holds
// well-known providers.
const PUBLIC = new Set(
  [
    'gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com rocketmail.com icloud.com',
    'me.com mac.com aol.com proton.me protonmail.com pm.me gmx.com gmx.net gmx.de web.de mail.com mail.ru zoho.com',
    'yandex.com yandex.ru fastmail.com hey.com tutanota.com qq.com 163.com 126.com naver.com rediffmail.com',
  ].flatMap((line) => line.split(' ')),
);
const DISPOSABLE = new Set(
  [
    'mailinator.com guerrillamail.com sharklasers.com 10minutemail.com tempmail.com temp-mail.org yopmail.com',
    'trashmail.com throwawaymail.com getnada.com dispostable.com maildrop.cc fakeinbox.com mintemail.com moakt.com',
  ].flatMap((line) => line.split(' ')),
);

/** Normalizes a name to lower case and punycode. Throws for names that an organization cannot own. */
function normalizeName(given: string): string {
  const name = domainToASCII(given).toLowerCase();
  if (name.length < SHORTEST || name.length > LONGEST || !NAME.test(name))
    throw invalidArgument(`invalid domain name ${given}`);
  const provider = PUBLIC.has(name)
    ? 'a public mail provider'
    : DISPOSABLE.has(name) && 'a provider of disposable mail';
  if (provider)
    throw invalidArgument(`domain ${name} belongs to ${provider}`).decidedBy('domains/public-providers');
  return name;
}
