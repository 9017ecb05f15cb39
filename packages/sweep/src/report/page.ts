import { html, raw, type Html } from '@understudy/core/pages/html';
import { reportFile } from '@understudy/report/report-file';
import { isObject } from '@understudy/text/json';
import { counted } from '@understudy/text/words';
import { CATALOGUE } from '../catalogue.ts';
import { findingsOf, type Finding, type SweepReport } from './report.ts';
import { gridOf, LEGEND } from './text.ts';

const STYLE = `
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 8px 0; }
th, td { padding: 4px 10px; border-top: 1px solid var(--line); text-align: left; white-space: nowrap; }
td.fault { color: var(--bad); font-weight: 600; }
td.ok { color: var(--good); }
ol { columns: 2; }
section { margin: 16px 0; padding: 12px 16px; border: 1px solid var(--line); border-radius: 8px; overflow-wrap: anywhere; }
section h3 { margin: 0 0 4px; }
pre { margin: 4px 0; padding: 8px 10px; border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 12.5px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
`;

/** The report as one self-contained file without scripts. */
export function sweepPage(report: SweepReport): string {
  const { command, results, left, tests, version } = report;
  const findings = findingsOf(report);
  const faults = findings.filter(({ kind }) => kind === 'fault');
  const content = html`<h1>Every failure</h1>
    <p class="faint">
      Understudy ${version}: <code>${command.join(' ')}</code>, ${counted(tests, 'test')},
      ${counted(results.length, 'case')}${left > 0 && html`, ${left} not run`}
    </p>
    <p>${counted(faults.length, 'fault')}.</p>
    ${tableOf(report)} ${findings.map(sectionOf)}`;
  return reportFile('every failure', STYLE, content);
}

function tableOf({ results }: SweepReport): Html {
  const { operations, rows } = gridOf(results);
  return html`<ol>
      ${operations.map((operation) => html`<li><code>${operation}</code></li>`)}
    </ol>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">failure</th>
            ${operations.map((operation, index) => html`<th scope="col" title="${operation}">${index + 1}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ failure, signs }) =>
              html`<tr>
                <th scope="row">${failure}</th>
                ${signs.map((sign) => html`<td class="${sign.toLowerCase()}">${sign}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="faint">${LEGEND}</p>`;
}

function sectionOf({ operation, verdict, kind, shown }: Finding): Html {
  const [first] = shown;
  return html`<section>
    <h3>${kind === 'fault' ? 'Fault' : kind}: <code>${operation}</code> ${verdict}</h3>
    <ul>
      ${[...new Set(shown.map(({ result }) => result.failure))].map(whyOf)}
    </ul>
    <p>${first?.verdict.test ?? 'the suite'}: ${first?.verdict.evidence}</p>
    ${first?.verdict.accepted !== undefined && html`<p>Accepted: ${first.verdict.accepted}</p>`}
    ${first?.verdict.assertion && html`<pre>${first.verdict.assertion}</pre>`}
    ${
      first?.verdict.journal &&
      html`<details>
        <summary>Calls</summary>
        ${first.verdict.journal.map(callOf)}
      </details>`
    }
    <p class="faint">Again: <code>understudy sweep --case ${first?.result.number}</code></p>
  </section>`;
}

/** The failure, whom it blames, and why a client should care. */
function whyOf(name: string): Html {
  const failure = CATALOGUE.find((each) => each.name === name);
  return html`<li><code>${name}</code>${failure && html` (${failure.blames}): ${failure.why}`}</li>`;
}

/** A call with what it sent, what it got and which rows it changed. */
function callOf(entry: object): Html {
  const { id, method, path, status = 'no answer' } = entry as Record<string, string | number>;
  const { request, response, changes, fault, scenario } = entry as Record<string, unknown>;
  const shown = Object.entries({
    request: isObject(request) ? request['body'] : undefined,
    response: isObject(response) ? response['body'] : undefined,
    rows: Array.isArray(changes) && changes.length > 0 ? changes : undefined,
    fault,
    rule: isObject(scenario) ? scenario['name'] : undefined,
  }).filter(([, value]) => value !== undefined);
  return html`<h4>${id} ${method} ${path} ${raw('&rarr;')} ${status}</h4>
    ${shown.map(([name, value]) => html`<pre>${name}: ${JSON.stringify(value, null, 1)}</pre>`)}`;
}
