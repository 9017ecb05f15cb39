import type { JournalEntry } from '../../client/control.ts';
import { InterceptorCall } from '../parts/interceptor-call.tsx';
import { Badge, Json } from '../parts/parts.tsx';
import { href } from '../route.ts';
import { plainText } from '../../text/json.ts';

/** Why the call was answered as it was: rules, violations, dropped fields, and interceptors. */
export function Why({ entry }: { entry: JournalEntry }) {
  const { scenario, validation, interceptors = [], notes = [], fault, error } = entry;
  return (
    <section class="card">
      <h2>Why this answer</h2>
      <Rules decision={scenario} />
      {validation.violations.map(({ field, description }) => (
        <p key={plainText(field)}>
          <Badge kind="bad">invalid</Badge> <code>{plainText(field)}</code> {plainText(description)}
        </p>
      ))}
      {validation.unknown.length > 0 && (
        <p>
          <Badge kind="note">dropped</Badge> The contract has no field {validation.unknown.join(', ')}.
        </p>
      )}
      {validation.response !== undefined && (
        <p>
          <Badge kind="bad">broken</Badge> The answer breaks the contract: {validation.response}
        </p>
      )}
      {notes.map((note) => (
        <p key={note}>
          <Badge kind="note">note</Badge> {note}
        </p>
      ))}
      {fault !== undefined && (
        <p>
          <Badge kind="bad">fault</Badge> <code>{JSON.stringify(fault)}</code>
        </p>
      )}
      {interceptors.map((call, index) => (
        // An interceptor may be asked twice.
        // oxlint-disable-next-line react/no-array-index-key
        <InterceptorCall key={index} call={call} number={index + 1} />
      ))}
      {error === undefined ? null : <Json label="Error" value={error} />}
    </section>
  );
}

type Decision = JournalEntry['scenario'];

const Rules = ({ decision: { considered, not_shown: more } }: { decision: Decision }) =>
  considered.length === 0 ? (
    <p class="faint">
      No loaded scenario has a rule for this call: the answer comes from the state of the environment.
    </p>
  ) : (
    <ul class="plain">
      {considered.map((rule) => (
        <li key={`${rule.scenario} ${rule.rule}`}>
          <Badge kind={rule.applied ? 'good' : ''}>{rule.applied ? 'applied' : 'not applied'}</Badge>{' '}
          <a href={href('scenarios')}>
            {rule.scenario}, rules[{rule.rule}]
          </a>
          : {rule.reason}
        </li>
      ))}
      {more !== undefined && (
        <li class="faint">{more === 1 ? '1 more rule' : `${more} more rules`} did not apply either.</li>
      )}
    </ul>
  );
