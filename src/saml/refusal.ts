import type { RuleId } from '../rule-ids.gen.ts';
import { shortened } from '../text/suggestion.ts';

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

export interface RefusedMessage {
  check: SamlCheck;
  /** What is wrong, in words. */
  problem: string;
  expected: string;
  received: string;
  /** The error of the service, as its documentation names it. */
  error: string;
}

const LONGEST = 200;

/** A text of a message, as people see it. */
export const shown = (text: string): string => shortened(text, LONGEST) || 'nothing';

/** A message that a check refuses. */
export class SamlRefusal extends Error {
  readonly refused: RefusedMessage;
  /** The rule that refuses the message, if no source of the service states it. */
  rule: RuleId | undefined;

  constructor(refused: RefusedMessage) {
    const { check, problem, expected, received } = refused;
    super(`SAML ${check}: ${problem}. Expected ${shown(expected)}; received ${shown(received)}`);
    this.refused = refused;
  }

  decidedBy(rule: RuleId): this {
    this.rule = rule;
    return this;
  }
}
