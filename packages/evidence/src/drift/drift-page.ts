import { html, type Html } from '@understudy/core/pages/html';
import { reportFile } from '@understudy/report/report-file';
import type { DriftReport, Finding } from './difference.ts';
import { placeOf, sortedFindings, summaryOf, wordOf } from './drift-text.ts';

const STYLE = `
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); }
th, td { padding: 8px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-size: 13px; color: var(--faint); }`;

/** Rows of the page. */
const MOST = 2000;

/** The report as one self-contained file without scripts. */
export function driftPage(report: DriftReport): string {
  const findings = sortedFindings(report);
  const { counts } = report;
  const content = html`<h1>Drift</h1>
    <p class="faint">Understudy ${report.understudy} compared with ${report.source}</p>
    <div class="cards">
      ${card('identical', counts.identical)} ${card('noise', counts.noise)} ${card('drift', counts.drift)}
      ${card('unknown', counts.unknown)}
    </div>
    <p>${summaryOf(report)}</p>
    ${findings.length > 0 && table(findings.slice(0, MOST))}
    ${findings.length > MOST && html`<p class="faint">And ${findings.length - MOST} more.</p>`}`;
  return reportFile(`drift of ${report.source}`, STYLE, content);
}

const card = (name: string, count: number): Html =>
  html`<div class="card">
    <p class="title">${name}</p>
    <strong>${count}</strong>
  </div>`;

const table = (findings: readonly Finding[]): Html =>
  html`<table>
    <thead>
      <tr>
        <th>severity</th>
        <th>kind</th>
        <th>where</th>
        <th>what</th>
        <th>rests on</th>
      </tr>
    </thead>
    <tbody>
      ${findings.map(row)}
    </tbody>
  </table>`;

function row(finding: Finding): Html {
  const chip = finding.verdict === 'unknown' || finding.severity === 'cosmetic' ? 'other' : 'bad';
  return html`<tr>
    <td><span class="chip ${chip}">${wordOf(finding)}</span></td>
    <td>${finding.kind}</td>
    <td><code>${placeOf(finding)}</code></td>
    <td>${finding.message}</td>
    <td><code>${[finding.contract ?? [], finding.rules].flat().join(', ')}</code></td>
  </tr>`;
}
