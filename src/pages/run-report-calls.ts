import type { JournalEntry } from '../client/types.ts';
import { MAX_BYTES, type CallName, type RunReport } from '../report/run-report.ts';
import { beginningOf } from '../text/well-formed.ts';
import { html, type Fragment, type Html } from './html.ts';

/** Characters of a body on the page. */
const MAX_BODY = 4000;

/** The latest calls that fit, newest first, and a line that says what is left out. */
export function callSections({ calls, total }: RunReport): Html {
  const sections: Html[] = [];
  let size = 0;
  for (const call of calls.toReversed()) {
    const section = callSection(call);
    size += section.text.length;
    if (size > MAX_BYTES) break;
    sections.push(section);
  }
  const left = total - sections.length;
  return html`<h2 id="calls">Calls</h2>
    <p class="faint">
      ${
        left > 0
          ? `The latest ${sections.length} of ${total} calls. The page leaves out the other ${left}; problems and coverage count all.`
          : `All ${total} calls, the newest first.`
      }
      The end of a body over ${MAX_BODY} characters is left out.
    </p>
    ${sections}`;
}

/** The place of a call on the page. */
export const anchorOf = ({ environment, id, time }: CallName) => `${environment}.${id}.${time}`;

function callSection(call: JournalEntry): Html {
  const { id, environment, time, protocol, method, path, operation = '-', status, duration_ms } = call;
  const kind = status === undefined || status >= 500 ? 'bad' : status >= 400 ? 'other' : 'seen';
  return html`<details class="call" id="${anchorOf(call)}">
    <summary>
      <span><span class="chip ${kind}">${status ?? 'none'}</span></span>
      <span class="path"><b>${method}</b> ${path}<br /><span class="faint">${operation}</span></span>
      <span class="number faint where">${environment} ${id}</span>
    </summary>
    <div>
      <p class="faint">${time}, ${protocol}, ${duration_ms} ms</p>
      ${reasons(call)} ${part('Query', isEmpty(call.request.query) ? undefined : call.request.query)}
      ${part('Request', call.request.body ?? call.request.unread)} ${part('Response', call.response.body)}
      ${part('Changes', isEmpty(call.changes) ? undefined : call.changes)}
    </div>
  </details> `;
}

function reasons({ validation, scenario, fault, error }: JournalEntry): Fragment {
  const { violations, unknown, response } = validation;
  const lines: Fragment[] = [
    ...violations.map(
      ({ field, description }) => html`Contract: <code>${String(field)}</code> ${String(description)}`,
    ),
    ...unknown.map((field) => html`The contract has no field <code>${field}</code>`),
    ...(response === undefined ? [] : [html`The answer broke the contract: ${response}`]),
    ...scenario.considered.map(
      ({ scenario: name, rule, applied, reason }) =>
        `Scenario ${name}, rule ${rule}: ${applied ? 'applied' : reason}`,
    ),
    ...(fault === undefined ? [] : [`Fault: ${JSON.stringify(fault)}`]),
    ...(error === undefined ? [] : [`Cause: ${error}`]),
  ];
  return lines.map((line) => html`<p>${line}</p>`);
}

const isEmpty = (value: object) => Object.keys(value).length === 0;

function part(title: string, value: unknown): Html | false {
  if (value === undefined || value === '') return false;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const left = text.length - MAX_BODY;
  const shown = left > 0 ? `${beginningOf(text, MAX_BODY)}… ${left} more characters` : text;
  return html`<h4>${title}</h4>
    <pre>${shown}</pre>`;
}
