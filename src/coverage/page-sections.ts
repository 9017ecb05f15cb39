import type { CoverageReport } from './report.ts';
import { html, type Html } from '../pages/html.ts';

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

/** Operations that reply 501, called ones first. */
export function laterOnes({ later }: CoverageReport): Html | false {
  if (later.length === 0) return false;
  const inOrder = later.toSorted((one, other) => other.calls - one.calls);
  return html`<h2>Not implemented</h2>
    <p class="faint">Understudy answers these operations with 501. The figures above do not count them.</p>
    <div class="panel">
      <div class="chips">
        ${inOrder.map(({ id, calls }) =>
          calls > 0
            ? html`<span class="chip bad">${id} × ${calls}</span>`
            : html`<span class="chip unseen">${id}</span>`,
        )}
      </div>
    </div>`;
}

const counted = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
