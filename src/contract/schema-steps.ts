const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
const LOOP = String.raw`for\((?:[^"{}]|${TEXT})*?\)`;
const FUNCTION = String.raw`return function validate\d+\([^]*?=\{\}\)`;

/** Texts, and the ends of blocks, in the code that Ajv makes of a schema. */
const TOKEN = new RegExp(`${TEXT}|(?:${LOOP}|${FUNCTION})?\\{|\\}`, 'g');

/** What Ajv calls to compare values and to measure texts. */
const RUNTIME_FUNCTION = /const (func\d+) = (scope\.func\[\d+\]);/g;

/** An error in a loop takes longer than the rest of the loop. */
const STEPS_OF_TURN = 3;
const CHARACTERS_OF_STEP = 200;

/**
 * Ajv option `code.process`: compiled functions and loops call `self.spend` with the size of their code whenever they
 * run, so that a bound on the sum bounds the time, whatever the keywords. In compiled code, Ajv calls itself `self`.
 */
export function countSteps(code: string): string {
  const sizes = blockSizes(code);
  return code
    .replace(TOKEN, (token: string, at: number) => {
      const size = sizes.get(at);
      return size === undefined
        ? token
        : `${token}self.spend(${STEPS_OF_TURN + Math.floor(size / CHARACTERS_OF_STEP)});`;
    })
    .replace(RUNTIME_FUNCTION, 'const $1 = self.counting($2);');
}

/** The lengths of loops and functions, by where they start. */
function blockSizes(code: string): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>();
  const open: { at: number; isCounted: boolean }[] = [];
  for (const { 0: token, index: at } of code.matchAll(TOKEN)) {
    if (token.startsWith('"')) continue;
    if (token !== '}') open.push({ at, isCounted: token !== '{' });
    else {
      const block = open.pop();
      if (block?.isCounted) sizes.set(block.at, at - block.at);
    }
  }
  return sizes;
}
