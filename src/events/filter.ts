import type { Rows } from '../world/schema.ts';

/** Whether events of that type are sent there. `user.*` is every type that begins so; no filter is every type. */
export const listensTo = ({ enabled, event_types }: Rows['webhook_endpoints'], type: string): boolean =>
  enabled && (event_types === undefined || event_types.some((each) => covers(each, type)));

export const covers = (pattern: string, type: string) =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
