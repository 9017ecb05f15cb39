import type { Diagnostic } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import { messageOf } from '../data.ts';
import { environment } from '../session.ts';

/** One mistake or warning, as a line of text. */
export interface Problem {
  line: number;
  column: number;
  text: string;
  isWarning: boolean;
}

/** Lets the server check the text. `tell` gets the same problems, for a list that screen readers read. */
export const lintSource =
  (tell: (problems: readonly Problem[]) => void) =>
  async ({ state: { doc } }: EditorView): Promise<Diagnostic[]> => {
    const problems = await problemsIn(doc.toString());
    tell(problems);
    return problems.map((problem) => diagnosticOf(doc, problem));
  };

async function problemsIn(text: string): Promise<Problem[]> {
  try {
    const { complaints, warnings, more } = await environment.peek().scenarios.lint(text);
    return [
      ...complaints.map(({ path, message, ...place }) => ({
        ...place,
        text: path === '' ? message : `${path}: ${message}`,
        isWarning: false,
      })),
      ...(more === undefined ? [] : [{ line: 0, column: 0, text: more, isWarning: false }]),
      ...warnings.map(warningIn),
    ];
  } catch (thrown) {
    return [{ line: 0, column: 0, text: messageOf(thrown), isWarning: false }];
  }
}

/** A warning begins with its place, such as `scenario:4:5: rules[1]: warning: …`. */
function warningIn(warning: string): Problem {
  const [, line = '0', column = '0', text = warning] = /^[^:]*:(\d+):(\d+): (.*)$/.exec(warning) ?? [];
  return { line: Number(line), column: Number(column), text, isWarning: true };
}

/** From the place to the end of the word. */
function diagnosticOf(doc: EditorView['state']['doc'], { line, column, text: message, isWarning }: Problem) {
  const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const start = Math.min(from + Math.max(column - 1, 0), to);
  const { length } = /^[^\s,\]}]*/.exec(text.slice(start - from))![0];
  const severity = isWarning ? ('warning' as const) : ('error' as const);
  return { from: start, to: Math.min(start + length, to), severity, message };
}
