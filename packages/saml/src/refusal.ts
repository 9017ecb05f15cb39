/** What a check of a message looks at. */
export type SamlCheck =
  | 'form'
  | 'size'
  | 'xml'
  | 'message'
  | 'status'
  | 'issuer'
  | 'signature'
  | 'certificate'
  | 'destination'
  | 'issue time'
  | 'assertion'
  | 'encryption'
  | 'subject'
  | 'recipient'
  | 'time'
  | 'request'
  | 'audience'
  | 'replay'
  | 'attribute';

interface RefusedMessage {
  check: SamlCheck;
  /** What is wrong, in words. */
  problem: string;
  expected: string;
  received: string;
  /** The error of the service, as its documentation names it. */
  error: string;
}

const LONGEST = 200;

/** A text of a message, as people see it: its beginning if it is long. */
export const shown = (text: string): string =>
  (text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text) || 'nothing';

/** A message that a check refuses. */
export class SamlRefusal extends Error {
  readonly refused: RefusedMessage;
  /** The rule that refuses the message, if no standard states it. */
  rule: string | undefined;

  constructor(refused: RefusedMessage) {
    const { check, problem, expected, received } = refused;
    super(`SAML ${check}: ${problem}. Expected ${shown(expected)}; received ${shown(received)}`);
    this.refused = refused;
  }

  decidedBy(rule: string): this {
    this.rule = rule;
    return this;
  }
}
