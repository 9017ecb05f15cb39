/** A variable that takes in the rest of a path. */
export const REST = '{**}';

/** Whether some path is meant by both: a glob, where `*` is any text, and a template with `{variables}`. */
export function canMeet(glob: string, template: string): boolean {
  const tokens = template.match(/\{[^}]*\}|[^]/g) ?? [];
  const known = new Map<number, boolean>();
  return meet(0, 0);

  function meet(g: number, t: number): boolean {
    const key = g * (tokens.length + 1) + t;
    const answer = known.get(key) ?? compare(g, t);
    known.set(key, answer);
    return answer;
  }

  function compare(g: number, t: number): boolean {
    const letter = glob[g];
    const token = tokens[t];
    if (letter === '*') return meet(g + 1, t) || (token !== undefined && meet(g, t + 1));
    if (letter === undefined || token === undefined) return letter === token;
    if (token.length === 1) return letter === token && meet(g + 1, t + 1);
    return (letter !== '/' || token === REST) && (meet(g + 1, t + 1) || meet(g + 1, t));
  }
}

/** The glob as an expression over a whole text. */
export const globExpression = (glob: string) =>
  new RegExp(
    `^${glob
      .split('*')
      .map((text) => text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );

/** The template with its variables' names left out: they do not tell paths apart. */
export const unnamed = (template: string) => template.replace(/\{[^}]*\}/g, '{}');
