const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
const LOOP = String.raw`for\((?:[^"{}]|${TEXT})*?\)`;
const FUNCTION = String.raw`return function validate\d+\([^]*?=\{\}\)`;

/** What takes time by itself: counting members, and what Ajv calls to compare values and to measure texts. */
const MEMBERS = String.raw`Object\.keys\((\w+)\)\.length`;
const RUNTIME_FUNCTION = String.raw`scope\.func\[\d+\]`;

/** Texts, the ends of blocks, and the above, in the code that Ajv makes of a schema. */
const TOKEN = new RegExp(`${TEXT}|${MEMBERS}|${RUNTIME_FUNCTION}|(?:${LOOP}|${FUNCTION})?\\{|\\}`, 'g');

/** An error in a loop takes longer than the rest of the loop. */
const STEPS_OF_TURN = 3;
const CHARACTERS_OF_STEP = 200;

/**
 * Ajv option `code.process`: compiled functions and loops call `self.spend` with the size of their code whenever they
 * run, so that a bound on the sum bounds the time, whatever the keywords. In compiled code, Ajv calls itself `self`.
 */
export function countSteps(code: string): string {
  const sizes = blockSizes(code);
  return code.replace(TOKEN, (token: string, counted: string | undefined, at: number) => {
    if (counted !== undefined) return `self.countMembers(${counted})`;
    if (token.startsWith('scope')) return `self.counting(${token})`;
    const size = sizes.get(at);
    return size === undefined
      ? token
      : `${token}self.spend(${STEPS_OF_TURN + Math.floor(size / CHARACTERS_OF_STEP)});`;
  });
}

/** The lengths of loops and functions, by where they start. */
function blockSizes(code: string): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>();
  const open: { at: number; isCounted: boolean }[] = [];
  for (const { 0: token, index: at } of code.matchAll(TOKEN)) {
    if (!/[{}]$/.test(token)) continue;
    if (token !== '}') open.push({ at, isCounted: token !== '{' });
    else {
      const block = open.pop();
      if (block?.isCounted) sizes.set(block.at, at - block.at);
    }
  }
  return sizes;
}
