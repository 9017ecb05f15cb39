import { unusedRules } from './findings.ts';
import { withoutTokenLine } from './markdown.ts';
import { type RequestViolation, type RunReport, MAX_BYTES, type CallName } from './run-report.ts';
import { reportFile } from './report-file.ts';
import type { JournalEntry } from '@understudy/client/types';
import { beginningOf } from '@understudy/text/json';
import { coverageContent } from '@understudy/core/coverage/page';
import { html, type Html, type Fragment } from '@understudy/core/pages/html';

const STYLE = `
a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 12px 0 0; }
.problems { margin: 8px 0; overflow-wrap: anywhere; }
.problems h3 { margin: 8px 0 4px; font-size: 15px; }
.problems ul { margin: 0 0 8px; padding-left: 20px; }
.problems li { margin: 4px 0; }
details.call { margin: 4px 0; border-radius: 8px; scroll-margin-top: 8px; }
details.call > summary { display: grid; grid-template-columns: 56px minmax(0, 1fr) auto; gap: 4px 12px; padding: 8px 12px; }
details.call > summary .path { margin: 0; color: var(--text); }
details.call > div { padding: 4px 12px 12px; border-top: 1px solid var(--line); }
details.call h3 { margin: 12px 0 4px; font-size: 13px; color: var(--faint); }
details.call p { overflow-wrap: anywhere; }
pre { margin: 0; padding: 8px 10px; background: var(--page); border: 1px solid var(--line); border-radius: 6px;
  font: 12.5px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 720px) {
  details.call > summary { grid-template-columns: 48px minmax(0, 1fr); }
  details.call > summary .where { grid-column: 2; text-align: left; white-space: normal; }
}`;

/** The report as one self-contained file without scripts: violations, coverage and calls. */
export function runReportPage(report: RunReport): string {
  const content = html`<h1>Understudy report</h1>
    <p class="faint">
      Understudy ${report.version}, contract ${report.coverage.contract.version}, written at ${report.created}
    </p>
    <nav><a href="#problems">Problems</a> <a href="#coverage">Coverage</a> <a href="#calls">Calls</a></nav>
    ${problems(report)}
    <h2 id="coverage">Coverage</h2>
    ${coverageContent(report.coverage, false)} ${callSections(report)}`;
  return reportFile(`report of ${report.created}`, STYLE, content);
}

/** Rules and answers are in the coverage, too; here are those to look at. */
function problems(report: RunReport): Html {
  const { coverage, violations, moreViolations, calls } = report;
  const unused = unusedRules(report);
  const { answers } = coverage.outside;
  const shown = new Set(calls.map(anchorOf));
  const isEmpty = unused.length + answers.length + violations.length === 0;
  return html`<h2 id="problems">Problems</h2>
    ${isEmpty && html`<div class="panel"><p class="empty">None: every scenario was used, and every call kept the contract.</p></div>`}
    ${list(
      'Scenario rules that never applied',
      unused.map(
        ({ scenario, rule, on, file }) =>
          html`${scenario} rules[${rule}], on
            <code>${typeof on === 'string' ? on : JSON.stringify(on)}</code>
            ${file !== undefined && html`<span class="faint">${file}</span>`}`,
      ),
    )}
    ${list(
      'Requests that broke the contract',
      violations.map((violation) => violationItem(violation, shown)),
    )}
    ${moreViolations > 0 && html`<p class="faint">And at least ${moreViolations} more.</p>`}
    ${list(
      'Scripted answers that broke the contract',
      answers.map(({ operation, status, seen }) => html`<code>${operation}</code>: ${status}, × ${seen}`),
    )}`;
}

const list = (title: string, items: readonly Html[]): Html | false =>
  items.length > 0 &&
  html`<div class="panel problems">
    <h3>${title} <span class="chip bad">${items.length}</span></h3>
    <ul>
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>
  </div>`;

function violationItem(
  { operation, field, description, times, example }: RequestViolation,
  shown: ReadonlySet<string>,
): Html {
  const { environment, id } = example;
  const anchor = anchorOf(example);
  const name = `${id} in ${environment}`;
  return html`<code>${operation}</code>: <code>${field}</code> ${description}
    <span class="faint"
      >× ${times}, such as ${shown.has(anchor) ? html`<a href="#${anchor}">${name}</a>` : name}</span
    >`;
}

/** Characters of a body on the page. */
const MAX_BODY = 4000;

/** The latest calls that fit, newest first, and a line that says what is left out. */
function callSections({ calls, total, failed, withoutToken }: RunReport): Html {
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
      ${failed} of ${total} failed. ${withoutToken > 0 && withoutTokenLine(withoutToken)} The end of a body
      over ${MAX_BODY} characters is left out.
    </p>
    ${sections}`;
}

/** The place of a call on the page. */
const anchorOf = ({ environment, id, time }: CallName) => `${environment}.${id}.${time}`;

function callSection(call: JournalEntry): Html {
  const {
    id,
    environment,
    time,
    protocol,
    method,
    path,
    operation = '-',
    status,
    expected,
    duration_ms,
  } = call;
  const kind = expected === undefined ? kindOf(status) : 'seen';
  return html`<details class="call" id="${anchorOf(call)}">
    <summary>
      <span><span class="chip ${kind}">${status ?? 'none'}</span></span>
      <span class="path"><b>${method}</b> ${path}<br /><span class="faint">${operation}</span></span>
      <span class="number faint where">${environment} ${id}</span>
    </summary>
    <div>
      <p class="faint">${time}, ${protocol}, ${duration_ms} ms</p>
      ${expected !== undefined && html`<p>No failure: the SDK gets a token after this refusal, and makes the call again.</p>`}
      ${reasons(call)} ${part('Query', isEmpty(call.request.query) ? undefined : call.request.query)}
      ${part('Request', call.request.body ?? call.request.unread)} ${part('Response', call.response.body)}
      ${part('Changes', isEmpty(call.changes) ? undefined : call.changes)}
    </div>
  </details> `;
}

const kindOf = (status = 500) => (status >= 500 ? 'bad' : status >= 400 ? 'other' : 'seen');

function reasons({ validation, scenario, fault, error, why }: JournalEntry): Fragment {
  const { violations, unknown, response } = validation;
  const broken = violations.map(
    ({ field, description }) => html`Contract: <code>${String(field)}</code> ${String(description)}`,
  );
  const lines: Fragment[] = [
    ...(why ? [why.summary, ...why.because.map(({ text }) => text)] : broken),
    ...unknown.map((field) => html`The contract has no field <code>${field}</code>`),
    ...(response === undefined ? [] : [html`The answer broke the contract: ${response}`]),
    ...(why ? [] : scenario.considered).map(
      ({ scenario: name, rule, applied, reason }) =>
        `Scenario ${name}, rules[${rule}]: ${applied ? 'applied' : reason}`,
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
  return html`<h3>${title}</h3>
    <pre>${shown}</pre>`;
}
