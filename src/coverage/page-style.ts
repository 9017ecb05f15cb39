/** One style for all screen widths, light and dark mode, and paper. Nothing is loaded. */
export const COVERAGE_STYLE = `
:root { color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --line: #dfe3e8; --text: #1c2430; --faint: #667085; --track: #e6e9ee;
  --good: #16794f; --good-fill: #2f9e6e; --good-back: #e2f4ea; --warn: #8a5300; --warn-back: #fdf0d5;
  --bad: #b3261e; --bad-back: #fce8e6; --focus: #3b6fd8; --link: #2450a8; }
@media (prefers-color-scheme: dark) { :root {
  --page: #12161c; --card: #1a2028; --line: #2d3541; --text: #e6eaf0; --faint: #98a3b3; --track: #2a323d;
  --good: #6fd3a3; --good-fill: #37a877; --good-back: #163527; --warn: #f0bf6c; --warn-back: #3a2c10;
  --bad: #f28b82; --bad-back: #401d1b; --focus: #8ab0ff; --link: #8ab0ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 28px 20px 64px; }
h1 { margin: 0; font-size: 26px; letter-spacing: -.01em; }
h2 { margin: 36px 0 12px; font-size: 18px; }
p { margin: 4px 0; }
code, .path { font: 13px/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.faint { color: var(--faint); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(210px, 1fr)); gap: 12px; margin: 20px 0 4px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
.card .title { margin: 0; font-size: 13px; font-weight: 600; color: var(--faint); }
.card strong { display: block; font-size: 28px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.card .bar { margin: 6px 0 8px; }
.bar { height: 8px; border-radius: 4px; background: var(--track); overflow: hidden; }
.bar svg { display: block; width: 100%; height: 100%; }
.bar rect { fill: var(--good-fill); rx: 4px; }
.tools { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 8px; align-items: center;
  padding: 10px 0; background: var(--page); }
.tools input { flex: 1 1 260px; min-width: 0; padding: 9px 12px; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; }
.tools select, .tools button { padding: 9px 12px; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; cursor: pointer; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; }
details { margin: 8px 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
summary { display: grid; grid-template-columns: minmax(0, 1fr) 150px 74px 64px; gap: 14px; align-items: center;
  padding: 12px 16px; cursor: pointer; list-style: none; border-radius: 10px; }
summary::-webkit-details-marker { display: none; }
summary h3 { margin: 0; font-size: 15px; }
summary h3::before { content: "\\25B8"; display: inline-block; width: 18px; color: var(--faint); }
details[open] > summary h3::before { content: "\\25BE"; }
summary p { margin: 0 0 0 18px; font-size: 13px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.operation { display: grid; grid-template-columns: minmax(0, 1fr) auto 74px; gap: 6px 14px; align-items: start;
  padding: 10px 16px; border-top: 1px solid var(--line); }
.operation > div:first-child { border-left: 3px solid var(--track); padding-left: 12px; }
.operation.called > div:first-child { border-color: var(--good-fill); }
.operation h4 { margin: 0; font-size: 14px; font-weight: 600; overflow-wrap: anywhere; }
.path { margin: 2px 0 0; overflow-wrap: anywhere; color: var(--faint); }
.path b { display: inline-block; min-width: 52px; color: var(--text); font-weight: 600; }
.chips { display: flex; flex-wrap: wrap; gap: 4px; justify-content: flex-end; max-width: 340px; }
.chip { padding: 1px 8px; border: 1px solid transparent; border-radius: 999px; font-size: 12.5px; line-height: 19px;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
.chip.seen { color: var(--good); background: var(--good-back); border-color: var(--good); }
.chip.other { color: var(--warn); background: var(--warn-back); border-color: var(--warn); }
.chip.bad { color: var(--bad); background: var(--bad-back); border-color: var(--bad); }
.chip.unseen { color: var(--faint); border: 1px dashed var(--faint); }
.legend { display: flex; flex-wrap: wrap; gap: 6px 18px; margin: 0 0 10px; color: var(--faint); font-size: 13px; }
.legend > span { white-space: nowrap; }
.panel { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 6px 16px; overflow-x: auto; }
.panel .chips { justify-content: flex-start; max-width: none; padding: 8px 0; }
table { width: 100%; border-collapse: collapse; }
th { font-size: 13px; font-weight: 600; color: var(--faint); text-align: left; }
th, td { padding: 8px 12px 8px 0; vertical-align: top; }
tr + tr > td { border-top: 1px solid var(--line); }
td code { overflow-wrap: anywhere; }
.empty { padding: 10px 0; color: var(--faint); }
[hidden] { display: none !important; }
@media (max-width: 720px) {
  main { padding: 18px 12px 48px; }
  summary { grid-template-columns: minmax(0, 1fr) auto; gap: 8px; padding: 12px; }
  summary .bar { grid-column: 1 / -1; grid-row: 2; }
  summary .calls, summary p { display: none; }
  .operation { grid-template-columns: minmax(0, 1fr) auto; padding: 10px 12px; }
  .operation .chips { grid-column: 1 / -1; grid-row: 2; justify-content: flex-start; max-width: none; padding-left: 15px; }
  .cards { grid-template-columns: 1fr 1fr; gap: 8px; }
  .card { padding: 10px 12px; } .card strong { font-size: 22px; }
  .tools select, .tools button { flex: 1 1 auto; }
}
@media print {
  :root { --page: #fff; --card: #fff; --text: #000; --faint: #444; --line: #bbb; --track: #ddd; color-scheme: light; }
  .tools { display: none; } main { max-width: none; padding: 0; }
  .operation, tr, .card { break-inside: avoid; } summary { break-after: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}`;
