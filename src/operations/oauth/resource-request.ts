import type { Env } from '../../environment/env.ts';
import { notFound, OAuthError } from '../../errors.ts';
import { ownCode } from '../../text/issued-code.ts';
import { addressOf, issuerOf, type Resource } from '../resources/resource-view.ts';

/** Only the paths below `/resources` name a resource. */
export interface ResourcePath {
  resource_id?: string;
}

/** The resource that the path names. Throws for an unknown one, and for one of another environment. */
export function resourceOf(env: Env, { resource_id }: ResourcePath): Resource | undefined {
  if (resource_id === undefined) return undefined;
  // A path without an environment is fine, because a header may name it.
  const resource = env.resources.find(ownCode(env, resource_id) ?? '');
  if (!resource) throw notFound('resource', resource_id);
  return resource;
}

/** The claim `aud` of the resource's tokens (Scalekit docs, MCP authentication). */
export const audienceOf = ({ id, resource_uri }: Resource): string[] =>
  resource_uri ? [resource_uri, id] : [id];

/** Throws `invalid_target` if the parameter `resource` names something else (RFC 8707 2). */
export function refuseOtherTarget(env: Env, resource: Resource, asked: string | undefined): void {
  if (!asked || asked === resource.id) return;
  const own = [addressOf(env, resource), issuerOf(env, resource)].map(canonical);
  if (own.includes(canonical(asked))) return;
  throw new OAuthError('invalid_target', `resource is not ${addressOf(env, resource)}`);
}

/** Clients write an address as the URL standard does, with a slash after the host. */
const canonical = (address: string): string =>
  (URL.canParse(address) ? new URL(address).href : address).replace(/\/$/, '');
