// What the export for jest uses of jest, which supplies this module to test files itself.
declare module '@jest/globals' {
  export type Define = (name: string, run: () => Promise<void>, timeout?: number) => void;
  export interface Variant extends Define {
    each(
      table: readonly unknown[],
    ): (name: string, run: (...row: never[]) => Promise<void>, timeout?: number) => void;
  }
  interface Test extends Variant {
    readonly only: Variant;
    readonly skip: Variant;
    readonly failing: Variant;
    todo(name: string): void;
  }
  export const test: Test;
  export const expect: { getState(): { testPath?: string; currentTestName?: string } };
  export function beforeAll(run: () => Promise<void>, timeout?: number): void;
  export function afterAll(run: () => Promise<void>): void;
}
