import { invalidArgument } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { normalizeName } from './domain-name.ts';

type Domain = Rows['domains'];
type Wanted = Pick<Domain, 'domain' | 'domain_type'>;

/** What API callers add is taken at their word. Unverified: which of the two verified statuses belongs to which type. */
const VOUCHED = {
  ORGANIZATION_DOMAIN: { verification_status: 'VERIFIED', verification_method: 'ADMIN' },
  ALLOWED_EMAIL_DOMAIN: { verification_status: 'AUTO_VERIFIED', verification_method: 'NOT_APPLICABLE' },
} as const;

const DAY = 86_400_000;
/** Unverified: how long the service waits for a TXT record. */
const WINDOW = 3 * DAY;

/** Adds a domain that is vouched for, or one that is to be proved by a TXT record. Throws for a name that can not be had. */
export function addDomain(world: World, organization_id: string, wanted: Wanted, method?: 'DNS'): Domain {
  const { domain_type } = wanted;
  const domain = normalizeName(wanted.domain);
  refuseTaken(world, organization_id, { domain, domain_type });
  const now = world.clock.iso();
  return world.domains.insert({
    id: world.draw.id('dom'),
    organization_id,
    domain,
    domain_type,
    ...(method === 'DNS' ? pending(world) : { ...VOUCHED[domain_type], ...NO_RECORD }),
    create_time: now,
    update_time: now,
  });
}

const NO_RECORD = { txt_record_key: '', txt_record_secret: '' };

const pending = (world: World) =>
  ({
    verification_status: 'PENDING',
    verification_method: 'DNS',
    txt_record_key: 'scalekit-domain-verification',
    txt_record_secret: `sk_dom_verify_${world.draw.text(24)}`,
    verify_before: world.clock.after(WINDOW),
  }) as const;

/**
 * Unverified: an organization's own domain leads to that organization alone, so no two may have it; the e-mail domain
 * of newcomers may be allowed in many.
 */
function refuseTaken(world: World, organizationId: string, { domain, domain_type }: Wanted): void {
  const isTaken = world.domains
    .list('domain', domain)
    .some(
      (other) =>
        other.domain_type === domain_type &&
        (domain_type === 'ORGANIZATION_DOMAIN' || other.organization_id === organizationId),
    );
  if (isTaken) throw invalidArgument(`domain ${domain} already exists`);
}
