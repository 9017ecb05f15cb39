/** A valid expression that cannot be matched in linear time. */
export class NotLinear extends Error {
  /** The offset of the construct. */
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const LOOKING: readonly (readonly [start: string, name: string])[] = [
  ['(?=', 'a look-ahead'],
  ['(?!', 'a look-ahead'],
  ['(?<=', 'a look-behind'],
  ['(?<!', 'a look-behind'],
];

/** What kind of group starts here. */
export function lookAroundAt(text: string): string {
  const [start, name] = LOOKING.find(([each]) => text.startsWith(each)) ?? ['(?', 'a group with flags'];
  return `has ${name}: ${start}`;
}
