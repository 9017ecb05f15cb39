import { isObject } from '../text/json.ts';

/** What the behaviour of an operation rests on. docs/fidelity.md says what the states mean. */
export interface Evidence {
  state: 'proven' | 'not proven';
  /** Who calls it, or why nobody does. */
  basis: string;
  /** Rules that no source of the service states. */
  unknown: readonly { id: string; rule: string }[];
}

/** The evidence for an operation, from the OpenAPI document at /openapi.json. */
export function evidenceFor(document: object, operation: string): Evidence | undefined {
  const { paths } = document as { paths: Record<string, Record<string, unknown>> };
  for (const found of Object.values(paths).flatMap((item) => Object.values(item)))
    if (isObject(found) && found['operationId'] === operation)
      return found['x-evidence'] as Evidence | undefined;
  return undefined;
}

export const evidenceLines = ({ state, basis, unknown }: Evidence): string[] => [
  `Evidence for this operation: ${state}. ${basis}`,
  ...unknown.map(({ id, rule }) => `Not known of the service (${id}): ${rule}`),
];
