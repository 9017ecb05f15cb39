import { ApiError } from '@understudy/core/contract/errors';
import type { Resource, ResourceType } from '@understudy/scim/attributes';
import type { Page } from '@understudy/scim/listing';
import { projected, type Projection } from '@understudy/scim/projection';
import { namesVersion, versionOf } from '@understudy/scim/version';
import { Answer } from '@understudy/core/operations/handler';
import type { Pushing } from './pushing.ts';

interface Facts {
  id: string;
  created?: string | undefined;
  lastModified: string;
}

/** Adds the id and `meta`, with the version of everything else. */
export function withMeta(
  push: Pick<Pushing, 'base'>,
  type: ResourceType,
  facts: Facts,
  resource: Resource,
): Resource {
  const { meta, ...own } = withFacts(push, type, facts, resource);
  return { ...own, meta: { ...(meta as object), version: versionOf(own) } };
}

/** Without the version, which costs more than everything else. */
export function withFacts(
  push: Pick<Pushing, 'base'>,
  type: ResourceType,
  { id, created, lastModified }: Facts,
  { schemas, ...members }: Resource,
): Resource {
  const location = locationOf(push, type, id);
  const meta = { resourceType: type.name, ...(created && { created }), lastModified, location };
  return { schemas, id, ...members, meta };
}

export const locationOf = ({ base }: Pick<Pushing, 'base'>, type: ResourceType, id: string): string =>
  `${base}${type.endpoint}/${id}`;

const metaOf = (resource: Resource) => resource['meta'] as { version: string; location: string };

/** `note`: what the journal says about the call. */
export function answerWith(
  type: ResourceType,
  resource: Resource,
  { status = 200, query, note }: { status?: number; query: Projection; note?: string | undefined },
): Answer {
  const { version, location } = metaOf(resource);
  const headers = { etag: version, ...(status === 201 && { location }) };
  return new Answer(status, headers, projected(type, resource, query), note);
}

/** The resource, or 304 if the caller has it. */
export function answerIfNew(
  type: ResourceType,
  resource: Resource,
  { query, known }: { query: Projection; known: string | undefined },
): Answer {
  const { version } = metaOf(resource);
  if (known !== undefined && namesVersion(known, version)) return new Answer(304, { etag: version });
  return answerWith(type, resource, { query });
}

/** Throws unless `If-Match`, if there is one, names the version. */
export function refuseOtherVersion(resource: Resource, wanted: string | undefined): void {
  const { version } = metaOf(resource);
  if (wanted === undefined || namesVersion(wanted, version)) return;
  throw new ApiError(
    'version_mismatch',
    `${String(resource['id'])} has the version ${version}, not ${wanted.slice(0, 200)}: read it again`,
    { why: { kind: 'state' } },
  );
}

export const listResponse = <R>({ totalResults, startIndex }: Page<unknown>, Resources: R[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse' as const],
  totalResults,
  startIndex,
  itemsPerPage: Resources.length,
  Resources,
});
