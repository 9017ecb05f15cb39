/** `(?i)` and the like in front, as other engines write what goes behind the slash in ours. */
const FLAGS = /^\(\?([ims]+)\)/;

/** Throws SyntaxError for one that is none. */
export function readExpression(written: string): RegExp {
  const flags = FLAGS.exec(written)?.[1] ?? '';
  return new RegExp(written.replace(FLAGS, ''), [...new Set(flags)].join(''));
}

/** What is wrong with a regular expression; undefined when nothing is. */
export function findExpressionFault(written: string): string | undefined {
  try {
    readExpression(written);
  } catch (thrown) {
    return `is no regular expression: ${(thrown as Error).message.replace(/^.*\/[a-z]*: /s, '')}`;
  }
  return repeatsInside(written)
    ? 'may run without end: a group that is repeated must not repeat inside, such as (a+)+'
    : undefined;
}

const TOKENS = /\\.|\[(?:\\.|[^\]\\])*\]|\{\d+,\}|./gs;

/**
 * Whether a group that is repeated without end holds a part that is, too: on a text that almost matches, such an
 * expression may try every way to share the text out between the two.
 */
function repeatsInside(written: string): boolean {
  const groups = [false];
  let closed = false;
  for (const token of written.replace(FLAGS, '').match(TOKENS) ?? []) {
    const repeats = /^(?:[*+]|\{\d)/.test(token);
    if (repeats && closed) return true;
    closed = token === ')' && groups.pop() === true;
    if (repeats || closed) groups[groups.length - 1] = true;
    if (token === '(') groups.push(false);
  }
  return false;
}
