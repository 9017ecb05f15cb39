/** A code without the name of its environment, which may stand before it with a dot. */
export const withoutEnvironment = (code: string): string => code.slice(code.indexOf('.') + 1);
