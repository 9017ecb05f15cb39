/** What SCIM calls the mistakes of callers (RFC 7644 3.12). */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

/** A caller sent something wrong. The message says what. */
export class ScimRefusal extends Error {
  readonly scimType: ScimType;
  /** A name that nothing has, and the names that there are. */
  readonly unknown: { name: string; known: readonly string[] } | undefined;
  /** The rule that refused it, if no standard states it. */
  rule: string | undefined;

  constructor(scimType: ScimType, detail: string, unknown?: ScimRefusal['unknown']) {
    super(detail);
    this.scimType = scimType;
    this.unknown = unknown;
  }

  decidedBy(rule: string): this {
    this.rule = rule;
    return this;
  }
}

export const refusal = (scimType: ScimType, detail: string): ScimRefusal => new ScimRefusal(scimType, detail);

const LONGEST_QUOTE = 200;
const LAST = LONGEST_QUOTE / 4;

/** A part of what the caller sent, for a message: a long text without its middle. */
export const quoted = (text: string): string =>
  text.length <= LONGEST_QUOTE
    ? text
    : `${text.slice(0, LONGEST_QUOTE - LAST - 1)}…${text.slice(-LAST)}`.toWellFormed();
