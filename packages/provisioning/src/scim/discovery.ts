import type { Env } from '@understudy/core/state/env';
import { ApiError, notFound } from '@understudy/core/contract/errors';
import { serviceProviderConfig, viewResourceType, viewSchema } from '@understudy/scim/discovery';
import { RESOURCE_TYPES, SCHEMAS } from '@understudy/scim/schemas';
import type { Operations } from '@understudy/core/operations/handler';
import { listResponse } from './answers.ts';
import { pushing } from './pushing.ts';

const BY_SECRET = {
  type: 'oauthbearertoken',
  name: 'Secret of the directory',
  description: 'Send a secret of the directory in the header authorization: Bearer.',
  primary: true,
};

export const discovery = {
  Scim_GetServiceProviderConfig: (_, env) => serviceProviderConfig(baseOf(env), [BY_SECRET]),

  Scim_ListResourceTypes({ query }, env) {
    refuseFilter(query.filter);
    const base = baseOf(env);
    return all(RESOURCE_TYPES.map((type) => viewResourceType(base, type)));
  },

  Scim_GetResourceType({ path }, env) {
    const type = RESOURCE_TYPES.find(({ name }) => name === path.type);
    if (!type) throw notFound('resource type', path.type);
    return viewResourceType(baseOf(env), type);
  },

  Scim_ListSchemas({ query }, env) {
    refuseFilter(query.filter);
    const base = baseOf(env);
    return all(SCHEMAS.map((schema) => viewSchema(base, schema)));
  },

  Scim_GetSchema({ path }, env) {
    const schema = SCHEMAS.find(({ id }) => id.toLowerCase() === path.urn.toLowerCase());
    if (!schema) throw notFound('schema', path.urn);
    return viewSchema(baseOf(env), schema);
  },
} satisfies Partial<Operations>;

const baseOf = (env: Env): string => pushing(env, 'reads').base;

const all = <R>(resources: R[]) =>
  listResponse({ totalResults: resources.length, startIndex: 1, rows: [] }, resources);

/** RFC 7644 4. */
function refuseFilter(filter: string | undefined): void {
  if (filter !== undefined)
    throw new ApiError('permission_denied', 'filter: this list takes no filter, because it is short');
}
