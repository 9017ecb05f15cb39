import type { Attribute, ResourceType, Schema } from './attributes.ts';
import { MOST_RESULTS } from './listing.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';

/** How a caller identifies itself (RFC 7643 5). */
interface AuthenticationScheme {
  type: string;
  name: string;
  description: string;
  primary?: boolean;
}

/** What this package can do (RFC 7643 5). `base`: the address of the service. */
export const serviceProviderConfig = (base: string, authenticationSchemes: AuthenticationScheme[]) => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MOST_RESULTS },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes,
  meta: { resourceType: 'ServiceProviderConfig' as const, location: `${base}/ServiceProviderConfig` },
});

export const viewResourceType = (base: string, { name, endpoint, core, extensions }: ResourceType) => ({
  schemas: [`${CORE}:ResourceType`],
  id: name,
  name,
  endpoint,
  description: core.description,
  schema: core.id,
  schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
  meta: { resourceType: 'ResourceType' as const, location: `${base}/ResourceTypes/${name}` },
});

export const viewSchema = (base: string, { id, name, description, attributes }: Schema) => ({
  schemas: [`${CORE}:Schema`],
  id,
  name,
  description,
  attributes: attributes.all.map(viewAttribute),
  meta: { resourceType: 'Schema' as const, location: `${base}/Schemas/${id}` },
});

interface AttributeView extends Required<Pick<Attribute, 'name' | 'type' | 'description'>> {
  multiValued: boolean;
  required: boolean;
  caseExact: boolean;
  mutability: NonNullable<Attribute['mutability']> | 'readWrite';
  returned: NonNullable<Attribute['returned']> | 'default';
  uniqueness: NonNullable<Attribute['uniqueness']> | 'none';
  canonicalValues?: string[];
  referenceTypes?: string[];
  subAttributes?: AttributeView[];
}

function viewAttribute(attribute: Attribute): AttributeView {
  const { name, type, description, canonicalValues, referenceTypes, sub } = attribute;
  return {
    name,
    type,
    description,
    multiValued: attribute.multiValued ?? false,
    required: attribute.required ?? false,
    caseExact: attribute.caseExact ?? false,
    mutability: attribute.mutability ?? 'readWrite',
    returned: attribute.returned ?? 'default',
    uniqueness: attribute.uniqueness ?? 'none',
    ...(canonicalValues && { canonicalValues: [...canonicalValues] }),
    ...(referenceTypes && { referenceTypes: [...referenceTypes] }),
    ...(sub && { subAttributes: sub.all.map(viewAttribute) }),
  };
}
