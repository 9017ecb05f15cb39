import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
  temporarilySetTabFocusMode,
} from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, linter, lintKeymap } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { completionOf } from './completion.ts';
import { lintSource, type Problem } from './lint-source.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The colours are those of the page, light and dark. */
const theme = EditorView.theme({
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

interface EditorOptions {
  parent: HTMLElement;
  text: string;
  label: string;
  vocabulary: () => Vocabulary | undefined;
  onChange: (text: string) => void;
  onProblems: (problems: readonly Problem[]) => void;
}

/** Milliseconds after the last key: the server checks the text when the user pauses, not after each letter. */
const LINT_DELAY = 400;

/** Custom properties reach into the shadow root, so the colours follow the page. */
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--note)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--bad)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--faint)' },
]);

/**
 * Types over what is selected. Chromium would give the new text the colours of the old one as an inline style, which the
 * policy of the page blocks.
 */
function typeOver({ inputType, data, isComposing }: InputEvent, view: EditorView): boolean {
  const { from, to, empty } = view.state.selection.main;
  if (inputType !== 'insertText' || data === null || isComposing || empty) return false;
  const insert = () =>
    view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
  return true;
}

const KEYS = keymap.of([
  ...completionKeymap,
  ...lintKeymap,
  ...historyKeymap,
  // The next Tab leaves the editor.
  { key: 'Escape', run: temporarilySetTabFocusMode },
  indentWithTab,
  ...defaultKeymap,
]);

const LOOK = [
  lineNumbers(),
  drawSelection(),
  bracketMatching(),
  highlightActiveLine(),
  syntaxHighlighting(colours),
  lintGutter(),
  EditorView.lineWrapping,
  theme,
];

const TYPING = [history(), indentOnInput(), indentUnit.of('  '), closeBrackets(), yaml(), KEYS];

/** An editor for scenarios. In a shadow root its styles need neither a nonce nor `unsafe-inline`. */
export function createEditor(options: EditorOptions): EditorView {
  const { parent, text, label, vocabulary, onChange, onProblems } = options;
  const extensions = [
    LOOK,
    autocompletion({ override: [completionOf(vocabulary)], icons: false }),
    TYPING,
    linter(lintSource(onProblems), { delay: LINT_DELAY }),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.domEventHandlers({ beforeinput: typeOver }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
      // Tab indents while the list is open, so it does not lead into the list.
      update.view.dom.querySelector('.cm-tooltip-autocomplete > ul')?.setAttribute('tabindex', '0');
    }),
  ];
  return new EditorView({
    parent,
    root: parent.getRootNode() as ShadowRoot,
    state: EditorState.create({ doc: text, extensions }),
  });
}
