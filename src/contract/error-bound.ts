/** More errors in one value than anyone reads. */
export const ENOUGH = 1000;

const LOOP = /for\((?:let i\d+=0; i\d+<len\d+; i\d+\+\+|const key\d+ in data\d*)\)\{/g;

/**
 * Ajv option `code.process`: what ajv compiles leaves its loops once it has found enough errors. With `allErrors` it
 * would go on to the end of a list, and copy all errors so far at each element that a `$ref` describes.
 */
export const boundErrors = (code: string): string =>
  code.replace(LOOP, (loop) => `${loop}if(errors>=${ENOUGH})break;`);
