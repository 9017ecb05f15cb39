import type { EventData } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import { featureOf, SHARED_FEATURES } from '../../state/tables/organizations.ts';
import { type NewEvent, verbOf, type ChangeOf, type UnitChanges } from './event.ts';

type Organization = Rows['organizations'];

/**
 * Unverified (events/organization-policies): changes that the event data does not show, such as policies, cause no
 * event.
 */
export function organizationEvents(change: ChangeOf<'organizations'>, { env }: UnitChanges): NewEvent[] {
  const organization = (change.after ?? change.before)!;
  const [organization_id, data] = [organization.id, organizationData(organization)];
  switch (verbOf(change, organizationData)) {
    case 'created':
      return [{ type: 'organization.created', organization_id, data }];
    case 'updated':
      return [{ type: 'organization.updated', organization_id, data }];
    case 'deleted': {
      const gone = { ...data, deleted_at: env.clock.iso() };
      return [{ type: 'organization.deleted', organization_id, data: gone }];
    }
    default:
      env.decidedBy('events/organization-policies');
      return [];
  }
}

/** The organization in event data (shape: the webhooks section of the vendor's OpenAPI document). */
export function organizationData(organization: Organization): EventData<'organization.created'> {
  const {
    id,
    display_name,
    external_id = null,
    metadata,
    region_code,
    create_time,
    update_time,
  } = organization;
  return {
    id,
    display_name,
    external_id,
    metadata: Object.keys(metadata).length > 0 ? metadata : null,
    region_code,
    create_time,
    update_time,
    settings: {
      features: SHARED_FEATURES.map((name) => ({ name, enabled: featureOf(organization, name) ?? false })),
    },
  };
}

type Domain = Rows['domains'];

export function domainEvents({ before, after }: ChangeOf<'domains'>, unit: UnitChanges): NewEvent[] {
  const domain = (after ?? before)!;
  const { organization_id } = domain;
  const verb = before && after ? verificationResult(before, after) : after ? 'created' : 'deleted';
  if (!verb || unit.removed('organizations', organization_id)) return [];
  return [{ type: `organization.domain_${verb}`, organization_id, data: domainData(unit.env, domain) }];
}

/** The verificationResult of the ownership check. A domain added as verified has no verificationResult. */
function verificationResult(before: Domain, { verification_status }: Domain) {
  if (verification_status === before.verification_status) return undefined;
  if (verification_status === 'VERIFIED') return 'dns_verification_success';
  return verification_status === 'FAILED' ? 'dns_verification_failed' : undefined;
}

function domainData(env: Env, domain: Domain): EventData<'organization.domain_created'> {
  const { id, organization_id, update_time } = domain;
  return {
    id,
    domain: domain.domain,
    domain_type: domain.domain_type,
    organization_id,
    environment_id: env.settings.get('settings').environment_id,
    txt_record_key: domain.txt_record_key,
    txt_record_secret: domain.txt_record_secret,
    verification_status: domain.verification_status,
    verification_method: domain.verification_method,
    updated_at: update_time,
  };
}

type Role = Rows['roles'];
type Permission = Rows['permissions'];

/** Also for an organization's own roles; role events carry no organization_id (the vendor's OpenAPI document). */
export function roleEvents(change: ChangeOf<'roles'>, unit: UnitChanges): NewEvent[] {
  const verb = verbOf(change, ownFields);
  const role = (change.after ?? change.before)!;
  if (!verb || unit.removed('organizations', role.organization_id)) return [];
  return [{ type: `role.${verb}`, data: roleData(role, unit) }];
}

/** Unverified (events/changes-of-roles): permissions are part of the role; default assignments are not. */
const ownFields = ({ default_creator: _, default_member: __, ...own }: Role) => own;

function roleData(role: Role, unit: UnitChanges): EventData<'role.created'> {
  const { id, name, display_name, description, base_role_id } = role;
  // Unverified (events/role-without-base): null if the role extends no other, like other unset members.
  return { id, name, display_name, description, extends: unit.find('roles', base_role_id)?.name ?? null };
}

export function permissionEvents(change: ChangeOf<'permissions'>): NewEvent[] {
  const verb = verbOf(change, (row) => row);
  return verb ? [{ type: `permission.${verb}`, data: permissionData((change.after ?? change.before)!) }] : [];
}

const permissionData = ({ id, name, description }: Permission): EventData<'permission.created'> => ({
  id,
  name,
  description,
});
