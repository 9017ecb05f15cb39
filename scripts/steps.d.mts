export class Steps {
  constructor(file: string, shared: readonly string[]);
  between: (name: string) => string;
  run(
    name: string,
    files: { reads: readonly string[]; writes: readonly string[] },
    make: () => unknown,
  ): Promise<void>;
}
