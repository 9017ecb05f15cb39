import { EditorView } from '@codemirror/view';

/** The colours are those of the page, light and dark. */
export const theme = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--field)',
    border: '1px solid var(--field-line)',
    borderRadius: '8px',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '2px' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    lineHeight: '1.5',
    minHeight: '240px',
    maxHeight: '60vh',
  },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--note-back)',
  },
  '.cm-gutters': {
    color: 'var(--faint)',
    backgroundColor: 'var(--field)',
    border: 'none',
    borderRight: '1px solid var(--line)',
    borderRadius: '8px 0 0 8px',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--quiet-over)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--card)',
    border: '1px solid var(--field-line)',
    borderRadius: '6px',
    maxWidth: 'min(520px, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--act-text)',
    backgroundColor: 'var(--act)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--faint)' },
  'li[aria-selected] .cm-completionDetail': { color: 'var(--act-text)' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', borderLeft: '4px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--note)' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--card)' },
});
