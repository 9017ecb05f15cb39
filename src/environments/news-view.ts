import type { Entry } from './entry.ts';
import { patchOf } from './json-patch.ts';
import type { NewsItem } from './news.ts';
import type { Rows } from '../world/schema.ts';
import { Redaction } from './redaction.ts';

type Delivery = Rows['webhook_deliveries'];

/** One event of the stream: its kind, and what is told of it. */
export interface Told {
  kind: NewsItem['kind'];
  data: object;
}

/** What somebody who follows the news is told; a call that a rule was applied to is told with the rule. */
export function tellings(item: NewsItem, redact: boolean): Told[] {
  if (item.kind === 'request') return tellRequest(item.entry, redact);
  const { kind, ...rest } = item;
  if (item.kind === 'state') {
    const patch = patchOf(item.changes);
    const redaction = redact ? new Redaction(item.changes, patch) : undefined;
    return [{ kind, data: { changes: redaction ? patch.map(redaction.patch) : patch } }];
  }
  if (item.kind === 'mail') {
    const { id, kind: about, to, subject } = item.mail;
    const shown = redact ? new Redaction(item.mail).text(subject) : subject;
    return [{ kind, data: { id, kind: about, to, subject: shown } }];
  }
  if (item.kind === 'webhook') return [{ kind, data: tellDelivery(item.delivery) }];
  return [{ kind, data: item.kind === 'clock' ? item.clock : rest }];
}

/** How far it is, and how the latest attempt went. */
function tellDelivery({
  id,
  endpoint_id,
  event_id,
  event_type,
  status,
  attempts,
  next_attempt_at,
}: Delivery) {
  const { headers: _, answer: __, ...latest } = attempts.at(-1) ?? {};
  const data = { id, endpoint_id, event_id, event_type, status, next_attempt_at };
  return { ...data, attempts: attempts.length, ...(attempts.length > 0 && { latest }) };
}

function tellRequest(entry: Entry, redact: boolean): Told[] {
  const { id, method, path, headers, query, operation, status, duration, decision } = entry;
  const { name, rule } = (decision?.view(() => '') ?? {}) as { name?: string; rule?: number };
  const shown = redact ? new Redaction({ headers, query }).text(path) : path;
  const data = { id, method, path: shown, operation, status, duration_ms: duration };
  const applied: Told = { kind: 'scenario', data: { change: 'applied', name, rule, request: id } };
  return [{ kind: 'request', data }, ...(name === undefined ? [] : [applied])];
}
