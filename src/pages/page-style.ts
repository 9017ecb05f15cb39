/** One style for all hosted pages: all screen widths, light and dark mode. Nothing is loaded. */
export const PAGE_STYLE = `
:root { color-scheme: light dark;
  --page: #f4f5f7; --card: #fff; --line: #d9dee5; --field-line: #848e9d; --text: #1b2330; --faint: #5d6878; --field: #fff;
  --act: #2f55d4; --act-text: #fff; --act-over: #2646b3; --quiet-over: #eef1f6; --focus: #2f55d4;
  --bad: #b3261e; --bad-back: #fdeceb; --good: #16794f; --good-back: #e5f5ec; --note-back: #eef2fd; }
@media (prefers-color-scheme: dark) { :root {
  --page: #11151b; --card: #1a2029; --line: #333d4b; --field-line: #6d7a8d; --text: #e7ebf1; --faint: #9ba6b6; --field: #131820;
  --act: #7f9cff; --act-text: #0d1533; --act-over: #98b0ff; --quiet-over: #232b36; --focus: #9db3ff;
  --bad: #f49c94; --bad-back: #3b1c1a; --good: #74d6a8; --good-back: #14301f; --note-back: #1d2740; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { width: 100%; max-width: 440px; margin: auto; padding: 32px 16px; }
main.wide { max-width: 820px; margin: 0 auto; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 28px; }
.card + .card { margin-top: 16px; }
.card > :last-child, .card > form:last-child > :last-child { margin-bottom: 0; }
header.front { margin: 0 0 20px; }
h1 { margin: 0 0 6px; font-size: 22px; line-height: 1.25; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { margin: 0 0 8px; font-size: 17px; }
p { margin: 0 0 12px; overflow-wrap: anywhere; }
.faint { color: var(--faint); font-size: 14.5px; }
form { margin: 18px 0 0; }
h1 + form { margin-top: 0; }
form + form { margin-top: 8px; }
form + p { margin-top: 14px; }
form.inline { margin: 0; display: inline-block; }
label, legend { display: block; margin: 0 0 5px; font-size: 14.5px; font-weight: 600; padding: 0; }
fieldset { margin: 0 0 14px; padding: 0; border: 0; min-width: 0; }
.field { margin: 0 0 14px; }
label.check { display: flex; align-items: center; gap: 8px; margin: 0 0 10px; font-weight: 400; }
label.check input { width: 17px; height: 17px; margin: 0; flex: none; accent-color: var(--act); }
.hint { display: block; margin-top: 4px; color: var(--faint); font-size: 13.5px; font-weight: 400; }
input:not([type]), input[type=text], input[type=email], input[type=password], input[type=url], select, textarea {
  width: 100%; padding: 10px 12px; font: inherit; color: inherit; background: var(--field);
  border: 1px solid var(--field-line); border-radius: 8px; min-height: 44px; }
textarea { min-height: 96px; font: 13.5px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
img.logo { display: block; max-width: 100%; height: 44px; margin: 0 auto 20px; object-fit: contain; }
.pin { display: flex; flex-wrap: wrap; gap: 8px; }
.pin > input:not(:disabled) { flex: 1 0 38px; width: auto; min-width: 0; padding: 10px 0; font-size: 20px; text-align: center; font-variant-numeric: tabular-nums; }
summary > h2 { display: inline; margin: 0; }
details.card[open] > summary { margin-bottom: 8px; }
input.code { letter-spacing: .35em; font-size: 20px; text-align: center; font-variant-numeric: tabular-nums; }
[aria-invalid=true] { border-color: var(--bad) !important; }
button, .button { display: block; width: 100%; margin: 0 0 10px; padding: 11px 16px; font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; min-height: 44px; overflow-wrap: anywhere; color: var(--act-text); background: var(--act); border: 1px solid var(--act);
  border-radius: 8px; cursor: pointer; }
button:hover, .button:hover { background: var(--act-over); border-color: var(--act-over); }
button.quiet, .button.quiet { color: var(--text); background: transparent; border-color: var(--line); }
button.quiet:hover, .button.quiet:hover { background: var(--quiet-over); }
button.bad { color: var(--bad); background: transparent; border-color: var(--line); }
form.inline button { width: auto; margin: 0; padding: 7px 14px; min-height: 40px; font-size: 14.5px; }
.side-by-side { display: flex; flex-wrap: wrap; gap: 10px; }
.side-by-side > * { flex: 1 1 160px; width: auto; margin: 0; }
button.choice { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 2px 12px;
  text-align: left; font-weight: 400; color: var(--text); background: transparent; border-color: var(--line); }
button.choice > * { min-width: 0; }
button.choice > .detail { flex: 0 0 100%; }
button.choice:hover { background: var(--quiet-over); }
button.choice small { color: var(--faint); font-size: 13.5px; }
a { color: var(--act); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.or { display: flex; align-items: center; gap: 12px; margin: 18px 0; color: var(--faint); font-size: 14px; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.alert { margin: 14px 0 0; padding: 10px 12px; border-radius: 8px; font-size: 14.5px; overflow-wrap: anywhere; }
.alert + p, .alert + h2, .alert + .field, .alert + .button { margin-top: 14px; }
.alert.bad { color: var(--bad); background: var(--bad-back); }
.alert.good { color: var(--good); background: var(--good-back); }
.alert.note { background: var(--note-back); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 16px; margin: 14px 0; font-size: 14.5px; }
dt { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }
.bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 8px 16px; }
header.bar { margin: 0 0 16px; }
.bar + .faint, .bar + table { margin-top: 8px; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; margin: 0; }
.actions .button { width: auto; margin: 0; padding: 8px 12px; min-height: 40px; font-size: 14.5px; }
.actions.below { margin-top: 14px; }
.back { margin: 0 0 12px; font-size: 14.5px; }
.alert + .card, .alert + .back { margin-top: 16px; }
h3 { margin: 18px 0 8px; font-size: 15px; }
details { margin-top: 14px; }
summary { color: var(--act); font-weight: 600; font-size: 14.5px; cursor: pointer; }
details[open] > summary { margin-bottom: 8px; }
ul.rows > li { padding: 10px 0; border-top: 1px solid var(--line); }
ul.rows > li > :last-child { margin-bottom: 0; }
.card > ul.rows:last-child > li:last-child { padding-bottom: 0; }
input[readonly] { background: var(--quiet-over); }
ul { margin: 0 0 16px; padding-left: 22px; }
ul.plain { list-style: none; margin: 14px 0 0; padding: 0; }
ul.links > li { display: grid; grid-template-columns: 250px minmax(0, 1fr); gap: 2px 12px; padding: 9px 0;
  border-top: 1px solid var(--line); }
ul.links { margin: 0; }
ul.links > li:first-child { border-top: 0; padding-top: 0; }
ul.links > li:last-child { padding-bottom: 0; }
.address { display: inline-block; max-width: 100%; }
td > .address { width: max-content; max-width: 240px; }
table { width: 100%; border-collapse: collapse; font-size: 14.5px; }
th, td { padding: 9px 8px; text-align: left; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
th:first-child, td:first-child { padding-left: 0; }
thead th { border-top: 0; color: var(--faint); font-weight: 600; overflow-wrap: normal; }
.badge { display: inline-block; padding: 1px 9px; border-radius: 999px; font-size: 13px; white-space: nowrap;
  background: var(--quiet-over); }
.badge.good { color: var(--good); background: var(--good-back); }
.badge.bad { color: var(--bad); background: var(--bad-back); }
code { font: 13.5px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { margin: 0 0 12px; padding: 12px 14px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--quiet-over); border-radius: 8px;
  font: 13.5px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
p.below { margin: 16px 0 0; text-align: center; }
p.code-to-read { font-size: 28px; letter-spacing: .2em; font-variant-numeric: tabular-nums; }
footer { padding: 0 16px 24px; text-align: center; color: var(--faint); font-size: 13px; }
@media (max-width: 560px) {
  main, main.wide { margin: 0 auto; padding: 20px 12px; }
  .card { padding: 22px 18px; }
  footer { margin-top: auto; }
  dl, ul.links > li { grid-template-columns: minmax(0, 1fr); }
  dl { row-gap: 0; }
  dd + dt { margin-top: 10px; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr, td, tbody th { display: block; }
  tr { padding: 10px 0; border-top: 1px solid var(--line); }
  td, tbody th { padding: 2px 0; border: 0; }
  td:empty { display: none; }
  td > .address { max-width: 100%; }
  .card > table:last-child tr:last-child { padding-bottom: 0; }
  td[data-head]:not(:empty)::before { content: attr(data-head) ": "; color: var(--faint); }
}
`;
