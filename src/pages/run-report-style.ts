/** In addition to the style of the coverage page. */
export const RUN_REPORT_STYLE = `
a { color: var(--focus); }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 12px 0 0; }
.problems { margin: 8px 0; overflow-wrap: anywhere; }
.problems h3 { margin: 8px 0 4px; font-size: 15px; }
.problems ul { margin: 0 0 8px; padding-left: 20px; }
.problems li { margin: 4px 0; }
details.call { margin: 4px 0; border-radius: 8px; scroll-margin-top: 8px; }
details.call > summary { display: grid; grid-template-columns: 56px minmax(0, 1fr) auto; gap: 4px 12px; padding: 8px 12px; }
details.call > summary .path { margin: 0; color: var(--text); }
details.call > div { padding: 4px 12px 12px; border-top: 1px solid var(--line); }
details.call h4 { margin: 12px 0 4px; font-size: 13px; color: var(--faint); }
details.call p { overflow-wrap: anywhere; }
pre { margin: 0; padding: 8px 10px; background: var(--page); border: 1px solid var(--line); border-radius: 6px;
  font: 12.5px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 720px) {
  details.call > summary { grid-template-columns: 48px minmax(0, 1fr); }
  details.call > summary .where { grid-column: 2; text-align: left; white-space: normal; }
}`;
