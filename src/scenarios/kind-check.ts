import type { Operation } from '../contract/compiled.ts';
import type { Complaints } from './complaints.ts';
import type { WrittenFault } from './faults.ts';
import type { Path } from './path.ts';
import type { WrittenRule } from './rule.ts';

/** What can be said of calls alone, and of what is sent alone. */
const OF_CALLS = ['path', 'query', 'headers', 'caller', 'protocol'] as const;
const ON_THE_WAY: readonly (keyof WrittenFault)[] = ['truncate', 'garbage', 'dribble'];

/** Complains of what a rule can't say of what it listens to: calls, webhooks, or interceptors. */
export function checkKind(
  rule: WrittenRule,
  at: Path,
  operations: readonly Operation[],
  complaints: Complaints,
): void {
  const complain = (path: Path, message: string) => complaints.add([...at, ...path], message, 'key');
  const kinds = new Set(operations.map(({ sent = 'call' }) => sent));
  if (kinds.size > 1)
    complain(['on'], `a rule listens to calls, to webhooks, or to interceptors: here are ${list(kinds)}s`);
  if (kinds.size !== 1) return;
  if (rule.deliver && !kinds.has('webhook'))
    complain(['deliver'], 'only webhooks are delivered: see `on: webhook.*`');
  if (kinds.has('call')) {
    if (rule.when?.to !== undefined)
      complain(['when', 'to'], 'is of webhooks and interceptors: a call comes to the service');
    return;
  }
  for (const member of OF_CALLS)
    if (rule.when?.[member] !== undefined)
      complain(['when', member], 'nobody calls: what is sent has a `body`, and goes `to` an address');
  complainOfAnswers(rule, complain);
}

/** Of what is sent, the rule stands for whoever is called. */
function complainOfAnswers(
  { reply, fault = {} }: WrittenRule,
  complain: (path: Path, message: string) => void,
) {
  if (reply && 'error' in reply)
    complain(['reply', 'error'], 'is a failure of the service; whoever is called answers with a `status`');
  for (const member of ON_THE_WAY)
    if (fault[member] !== undefined)
      complain(['fault', member], 'is of answers to callers; write the `reply` of whoever is called');
  if (fault.disconnect === 'middle')
    complain(['fault', 'disconnect'], 'whoever is called is gone `before`, or ends with a `reset`');
}

const list = (kinds: ReadonlySet<string>) => [...kinds].join('s and ');
