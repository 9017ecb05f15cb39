/** A browser or an authenticator sent something wrong. The message says what. */
export class Refusal extends Error {
  /** The rule that refused it, if no standard states it. */
  rule: string | undefined;

  decidedBy(rule: string): this {
    this.rule = rule;
    return this;
  }
}

export const refused = (message: string): Refusal => new Refusal(message);
