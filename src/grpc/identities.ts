import type { DescMethod, JsonObject } from '@bufbuild/protobuf';
import type { Binding } from './transcode.ts';

/**
 * Some RPCs take an organization by the id that the caller gave it, which their HTTP calls do not: there its own id is
 * put in the other one's place. One that nobody has stays, and is not found.
 */
export function identified(
  fields: JsonObject,
  { input }: DescMethod,
  bindings: readonly Binding[],
  organizationOf: (externalId: string) => string | undefined,
): JsonObject {
  const { external_id: external } = fields;
  if (typeof external !== 'string') return fields;
  const oneof = input.oneofs.find(({ name }) => name === 'identities');
  if (!oneof) return fields;
  if (bindings.some(({ variables }) => variables.includes('external_id'))) return fields;
  const own = oneof.fields.find(({ name }) => name !== 'external_id')!.name;
  const { external_id: _, ...others } = fields;
  return { ...others, [own]: organizationOf(external) ?? external };
}
