import type { RuleId } from '../contract/rule-ids.gen.ts';
import { ApiError, validationError, type FieldViolation } from '../contract/errors.ts';

/** The rule that the refusal of a package names. `npm run check:supported` knows the ids in packages, too. */
export const ruleNamed = (rule: string): RuleId => rule as RuleId;

/** Throws one error for all violations, if there are any. `rule`: the one that decides, if no source states it. */
export function refuseViolations(violations: readonly FieldViolation[], rule?: RuleId): void {
  if (violations.length === 0) return;
  const refusal = validationError(violations);
  throw rule ? refusal.decidedBy(rule) : refusal;
}

/** Throws for addresses that no browser can be sent to or that cannot be called. */
export function refuseAddresses(
  flaws: readonly (readonly [field: string, flaw: string | false | undefined])[],
  rule?: RuleId,
): void {
  refuseViolations(
    flaws.flatMap(([field, description]) =>
      description ? [{ field, description, constraint: 'string.uri' }] : [],
    ),
    rule,
  );
}

/** The message of the refusal, if the check throws one. */
export function refusalOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown.message;
    throw thrown;
  }
}
