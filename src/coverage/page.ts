import type { CoverageReport, CoveredOperation, CoveredTag, Share } from './report.ts';
import { COVERAGE_STYLE } from './page-style.ts';
import { html, raw, type Html } from '../pages/html.ts';
import { headersOf, type RenderedPage } from '../pages/page.ts';
import { counted } from '@understudy/text/words';

/** The report as a page of the service; only its own script may run. */
export const renderCoverage = (report: CoverageReport): RenderedPage => ({
  headers: headersOf({ style: COVERAGE_STYLE, script: COVERAGE_SCRIPT }),
  markup: coveragePage(report),
});

/** The report as one self-contained file. */
export const coveragePage = (report: CoverageReport): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Coverage: ${report.summary.operations.percent} % of operations</title>
        ${raw(`<style>${COVERAGE_STYLE}</style>`)}
      </head>
      <body>
        <main>
          <h1>Contract coverage</h1>
          <p class="faint">${subtitle(report)}</p>
          ${coverageContent(report, tools())}
        </main>
        ${raw(`<script>${COVERAGE_SCRIPT}</script>`)}
      </body>
    </html> `.text;

/** Everything below the heading. `controls` filter the operations with a script. */
export const coverageContent = (report: CoverageReport, controls: Html | false): Html =>
  html`${cards(report)}
    <h2>Operations</h2>
    ${controls} ${legend()} ${report.tags.map((tag) => tagSection(tag, report))} ${failures(report)}
    ${events(report)} ${rules(report)} ${outside(report)}`;

function subtitle({ contract, summary, runs }: CoverageReport): string {
  const [first] = runs;
  const where = first?.environment === '*' ? 'all environments' : `environment ${first?.environment ?? ''}`;
  const whose = runs.length === 1 ? where : `${runs.length} runs`;
  const calls = counted(summary.calls, 'call');
  return `Contract ${contract.version}, ${whose}, ${calls}`;
}

const cards = ({ summary }: CoverageReport): Html =>
  html`<div class="cards">
    ${card('Operations', summary.operations, 'were called')}
    ${card('Responses', summary.responses, 'that are expected were seen')}
    ${card('Failures', summary.failures, 'were seen on any operation')}
    ${card('Events', summary.events, 'types happened')}
    ${card('Scenario rules', summary.rules, 'were applied')}
  </div>`;

const card = (title: string, share: Share, what: string): Html =>
  html`<div class="card">
    <p class="title">${title}</p>
    <strong>${share.total === 0 ? '–' : `${share.percent} %`}</strong>
    ${bar(share, title)}
    <p class="faint">${share.covered} of ${share.total} ${what}</p>
  </div>`;

const bar = ({ covered, total, percent }: Share, of: string): Html =>
  html`<div class="bar" role="img" aria-label="${of}: ${covered} of ${total}">
    <svg>${covered > 0 && html`<rect width="${Math.max(percent, 1)}%" height="100%" />`}</svg>
  </div>`;

const tools = (): Html =>
  html`<div class="tools" hidden>
    <input
      id="search"
      type="search"
      placeholder="Filter by name, path, tag or status ( / )"
      aria-label="Filter"
    />
    <select id="show" aria-label="Show">
      <option value="all">all operations</option>
      <option value="uncalled">never called</option>
      <option value="called">called</option>
      <option value="missing">with a response missing</option>
    </select>
    <button id="fold" type="button">fold / unfold</button>
    <span id="shown" class="faint" role="status"></span>
  </div>`;

const legend = (): Html =>
  html`<p class="legend">
    <span><span class="chip seen">200 × 3</span> expected and seen</span>
    <span><span class="chip unseen">404</span> expected, never seen</span>
    <span><span class="chip other">429 × 1</span> seen, but not expected</span>
  </p>`;

function tagSection(tag: CoveredTag, { operations }: CoverageReport): Html {
  const { name, description, calls, operations: share } = tag;
  return html`<details ${raw(calls > 0 ? 'open' : '')}>
    <summary>
      <div>
        <h3>${name}</h3>
        ${description !== undefined && html`<p class="faint">${description}</p>`}
      </div>
      ${bar(share, name)}
      <span class="number">${share.covered} / ${share.total}</span>
      <span class="number calls faint">${calls > 0 && `× ${calls}`}</span>
    </summary>
    ${operations.filter((operation) => operation.tag === name).map(operationRow)}
  </details>`;
}

function operationRow(operation: CoveredOperation): Html {
  const { id, tag, summary, calls, responses, bindings } = operation;
  const isMissing = responses.some(({ expected, seen }) => expected && seen === 0);
  const states = `${calls > 0 ? 'called' : 'uncalled'}${isMissing ? ' missing' : ''}`;
  const paths = bindings.map(({ method, path }) => `${method} ${path}`);
  const text = [id, tag, summary, ...paths, ...responses.map(({ status }) => status)].join(' ').toLowerCase();
  return html`<div class="operation ${calls > 0 && 'called'}" data-states="${states}" data-text="${text}">
    <div>
      <h4>${breakable(id)}</h4>
      <p class="faint">${summary}</p>
      ${bindings.map((binding) => bindingLine(binding, bindings.length > 1))}
    </div>
    <div class="chips">${responses.map(statusChip)}</div>
    <span class="number">${calls > 0 ? `× ${calls}` : html`<span class="faint">–</span>`}</span>
  </div>`;
}

/** Marks where a narrow screen may break a name. */
const breakable = (id: string) =>
  id.split('_').map((part, index) => (index === 0 ? part : html`_<wbr />${part}`));

const bindingLine = (
  { method, path, calls }: CoveredOperation['bindings'][number],
  isOneOfMany: boolean,
): Html =>
  html`<p class="path">
    <b>${method}</b> ${path}${isOneOfMany && calls > 0 && html` <span>× ${calls}</span>`}
  </p>`;

function statusChip({ status, expected, seen }: CoveredOperation['responses'][number]): Html {
  if (seen === 0) return html`<span class="chip unseen" title="expected, never seen">${status}</span>`;
  const title = expected ? 'expected and seen' : 'seen, but not expected';
  return html`<span class="chip ${expected ? 'seen' : 'other'}" title="${title}">${status} × ${seen}</span>`;
}

/** Runs in the browser. Without it the page shows everything, folded as it was sent. */
const COVERAGE_SCRIPT = `
const search = document.querySelector('#search');
const show = document.querySelector('#show');
const shown = document.querySelector('#shown');
const tags = [...document.querySelectorAll('details')];
const rows = [...document.querySelectorAll('.operation')];
const folded = new Map(tags.map((tag) => [tag, tag.open]));

function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const wanted = show.value;
  const filtering = words.length > 0 || wanted !== 'all';
  for (const row of rows) {
    const states = row.dataset.states.split(' ');
    const text = row.dataset.text;
    row.hidden = !((wanted === 'all' || states.includes(wanted)) && words.every((word) => text.includes(word)));
  }
  for (const tag of tags) {
    const some = tag.querySelector('.operation:not([hidden])') !== null;
    tag.hidden = !some;
    tag.open = filtering ? some : folded.get(tag);
  }
  const count = rows.filter((row) => !row.hidden).length;
  shown.textContent = count === rows.length ? '' : count + ' of ' + rows.length + ' operations';
}

search.addEventListener('input', filter);
show.addEventListener('change', filter);
document.querySelector('#fold').addEventListener('click', () => {
  const open = tags.some((tag) => !tag.hidden && !tag.open);
  for (const tag of tags) if (!tag.hidden) tag.open = open;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || document.activeElement === search) return;
  event.preventDefault();
  search.focus();
});
// Paper can't be unfolded.
addEventListener('beforeprint', () => { for (const tag of tags) tag.open = true; });
document.querySelector('.tools').hidden = false;
filter();`;

/** The statuses that any operation may return, covered or not. */
export const failures = ({ failures }: CoverageReport): Html =>
  html`<h2>Failures that any operation may answer</h2>
    <div class="panel">
      <div class="chips">
        ${failures.map(({ status, operations, seen }) =>
          seen === 0
            ? html`<span class="chip unseen" title="never seen">${status}</span>`
            : html`<span class="chip seen">${status} × ${seen}, ${counted(operations, 'operation')}</span>`,
        )}
      </div>
    </div>`;

/** Event types, emitted ones and others. */
export const events = ({ events }: CoverageReport): Html =>
  html`<h2>Events</h2>
    <div class="panel">
      <div class="chips">
        ${events.map(({ type, seen }) =>
          seen === 0
            ? html`<span class="chip unseen" title="never happened">${type}</span>`
            : html`<span class="chip seen">${type} × ${seen}</span>`,
        )}
      </div>
    </div>`;

export const rules = ({ rules }: CoverageReport): Html =>
  html`<h2>Scenario rules</h2>
    <div class="panel">
      ${
        rules.length === 0
          ? html`<p class="empty">No scenario was loaded.</p>`
          : html`<table>
              <thead>
                <tr>
                  <th>Rule</th>
                  <th>Listens to</th>
                  <th class="number">Loaded</th>
                  <th class="number">Applied</th>
                </tr>
              </thead>
              <tbody>
                ${rules.map(ruleRow)}
              </tbody>
            </table>`
      }
    </div>`;

function ruleRow({ scenario, rule, on, file, loaded, fired }: CoverageReport['rules'][number]): Html {
  return html`<tr>
    <td>
      ${scenario} <span class="faint">rules[${rule}]</span>
      ${file !== undefined && html`<div class="faint"><code>${file}</code></div>`}
    </td>
    <td><code>${typeof on === 'string' ? on : JSON.stringify(on)}</code></td>
    <td class="number">× ${loaded}</td>
    <td class="number">
      ${fired > 0 ? html`<span class="chip seen">× ${fired}</span>` : html`<span class="chip bad">never</span>`}
    </td>
  </tr>`;
}

export function outside({ outside: { calls, answers } }: CoverageReport): Html | false {
  if (calls.length + answers.length === 0) return false;
  return html`<h2>Outside the contract</h2>
    <div class="panel">
      <table>
        <tbody>
          ${calls.map(({ method, path, status, seen }) =>
            outsideRow('call', path === '*' ? 'others' : `${method} ${path}`, status, seen),
          )}
          ${answers.map(({ operation, status, seen }) => outsideRow('answer', operation, status, seen))}
        </tbody>
      </table>
    </div>`;
}

const outsideRow = (kind: string, name: string, status: number, seen: number): Html =>
  html`<tr>
    <td class="faint">${kind}</td>
    <td><code>${name}</code></td>
    <td class="number"><span class="chip bad">${status} × ${seen}</span></td>
  </tr>`;
