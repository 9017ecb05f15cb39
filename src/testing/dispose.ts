// What `await using` needs of the language, for compilers and runtimes that don't have it yet.
declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** The symbol under which compilers look where a runtime has none. */
export const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');
