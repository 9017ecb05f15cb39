import { isObject, beginningOf } from '@understudy/text/json';
import { reasonOf, remaining, type ActiveRule, type RuleTurn } from './active-rule.ts';
import { meets, type Requirement, isOperators } from './condition.ts';
import type { Listeners } from './rules.ts';
import type { RuleLabel, CallFacts } from './call-facts.ts';
import { StepBudget } from './steps.ts';

interface ConsideredRule {
  scenario: string;
  rule: number;
  applied: boolean;
  reason: string;
}

export interface DecisionView {
  /** The rule that was applied. */
  name?: string;
  rule?: number;
  /** Every rule that listens to the operation. Rules after the applied one were not considered. */
  considered: ConsideredRule[];
  /** How many more rules there are. */
  not_shown?: number;
}

/** Replaces the secrets in a value. */
type Redact = (value: unknown) => unknown;

const MAX_RULES = 50;
const MAX_REASONS = 3;
const MAX_VALUE_LENGTH = 100;
const USED_UP = 'not compared: earlier rules used up the time that a call may take';

/** Why a call got its rule, or none. The reasons are computed only when somebody asks. */
export class Decision {
  readonly #listeners: Listeners;
  readonly #facts: CallFacts;
  readonly #turns: readonly RuleTurn[];

  constructor(listeners: Listeners, facts: CallFacts, turns: readonly RuleTurn[]) {
    this.#listeners = listeners;
    this.#facts = facts;
    this.#turns = turns;
  }

  get rule(): RuleLabel | undefined {
    return this.#applied?.label;
  }

  view(redact: Redact): DecisionView {
    const { rules } = this.#listeners;
    const shown = this.#shown();
    const more = rules.length - shown.length;
    const work = new StepBudget();
    return {
      ...this.rule,
      considered: shown.map((active) => this.#considered(active, redact, work)),
      ...(more > 0 && { not_shown: more }),
    };
  }

  get #applied(): ActiveRule | undefined {
    return this.#turns.findLast(({ applied }) => applied)?.active;
  }

  /** If there are too many rules: considered rules that match, then later rules that match, then others, in order. */
  #shown(): readonly ActiveRule[] {
    const { rules } = this.#listeners;
    if (rules.length <= MAX_RULES) return rules;
    const work = new StepBudget();
    const isMatch = (active: ActiveRule) => meets(this.#facts, active.rule.requirements, work);
    const end = this.#applied ? rules.indexOf(this.#applied) + 1 : rules.length;
    const [wantedText, later] = [rules.slice(0, end), rules.slice(end)];
    const matching = [...wantedText.filter(isMatch).slice(-MAX_RULES), ...later.filter(isMatch)];
    const shown = new Set([...new Set([...matching, ...rules])].slice(0, MAX_RULES));
    return rules.filter((active) => shown.has(active));
  }

  #considered(active: ActiveRule, redact: Redact, work: StepBudget): ConsideredRule {
    const turn = this.#turns.find((each) => each.active === active);
    const { name, rule } = active.label;
    const reason = turn ? reasonOf(turn) : (this.#cutOff(active) ?? this.#refusal(active, redact, work));
    return { scenario: name, rule, applied: turn?.applied ?? false, reason };
  }

  /** For a rule after the applied one. */
  #cutOff(active: ActiveRule): string | undefined {
    const { rules } = this.#listeners;
    const applied = this.#applied;
    if (!applied || applied.rule.continues || rules.indexOf(active) < rules.indexOf(applied))
      return undefined;
    return `not asked: ${applied.label.name} rules[${applied.label.rule}] was applied before`;
  }

  /** Whether the call meets a requirement that has the budget of a call for itself; undefined if it is not enough. */
  #meets(requirement: Requirement, view: StepBudget): boolean | undefined {
    const work = new StepBudget();
    const isMet = meets(this.#facts, [requirement], work);
    view.spend(work.run);
    return work.isSpent ? undefined : isMet;
  }

  /** For a rule that does not match or is used up. All reasons together take as many steps as the call could. */
  #refusal(active: ActiveRule, redact: Redact, work: StepBudget): string {
    const { requirements, times } = active.rule;
    const missed: Requirement[] = [];
    for (const requirement of requirements) {
      if (work.isSpent) return USED_UP;
      const isMet = this.#meets(requirement, work);
      if (isMet === undefined) return 'not compared: a text of the call is too long for the expression';
      if (!isMet && missed.length < MAX_REASONS) missed.push(requirement);
    }
    if (missed.length === 0 && remaining(active) === 0) return `used up: applied ${times} of ${times} times`;
    if (missed.length === 0) return USED_UP;
    return missed
      .map((requirement) => mismatch(requirement, requirement.read(this.#facts), redact))
      .join('; ');
  }
}

function mismatch({ at, wanted }: Requirement, actual: unknown, redact: Redact): string {
  const names = at.slice(2).map(String);
  const quote = at[1] === 'body' ? JSON.stringify : plainly;
  const isSecret = redactAt(names, '', redact) !== '';
  const wantedText = isSecret ? 'another' : describe(redactAt(names, wanted, redact), quote);
  const actualText = actual === undefined ? 'absent' : shorten(quote(redactAt(names, actual, redact)));
  return `${at.join('.')}: wanted ${wantedText}, was ${isSecret && actual !== undefined ? '[redacted]' : actualText}`;
}

/** Redacts a value below a path, because any member on the way may be secret. */
function redactAt(path: readonly string[], value: unknown, redact: Redact): unknown {
  const whole = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : at), redact(whole));
}

const plainly = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Operators by name: `contains "a" and not {"in":["b"]}`. */
const describe = (wanted: unknown, quote: (value: unknown) => string): string =>
  isOperators(wanted)
    ? Object.entries(wanted)
        .map(([name, operand]) => `${name.replace('_', ' ')} ${quote(operand)}`)
        .join(' and ')
    : quote(wanted);

const shorten = (text: string) =>
  text.length > MAX_VALUE_LENGTH ? `${beginningOf(text, MAX_VALUE_LENGTH)}...` : text;
