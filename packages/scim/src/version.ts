import { createHash } from 'node:crypto';
import type { Resource } from './attributes.ts';

/** The entity tag of a resource without its `meta`: equal resources have equal tags. */
export function versionOf(resource: Resource): string {
  const digest = createHash('sha256').update(JSON.stringify(resource)).digest('hex');
  return `W/"${digest.slice(0, 16)}"`;
}

/** Whether `If-Match` or `If-None-Match` names the version (RFC 9110 8.8.3.2, weakly, as RFC 7644 3.14 writes them). */
export function namesVersion(header: string, version: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(version));
}
