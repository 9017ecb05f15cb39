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
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { completionOf } from './completion.ts';
import { lintSource, type Problem } from './lint-source.ts';
import { theme } from './theme.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface EditorOptions {
  parent: HTMLElement;
  text: string;
  label: string;
  vocabulary: () => Vocabulary | undefined;
  onChange: (text: string) => void;
  onProblems: (problems: readonly Problem[]) => void;
}

/** Milliseconds after the last key, so that the server checks a pause and not each letter. */
const LINT_DELAY = 400;

/** Custom properties reach into the shadow root, so the colours follow the page. */
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--note)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--bad)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--faint)' },
]);

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
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
  return new EditorView({
    parent,
    root: parent.getRootNode() as ShadowRoot,
    state: EditorState.create({ doc: text, extensions }),
  });
}
