import { isObject } from '../text/json.ts';
import { beginningOf } from '../text/well-formed.ts';
import { reasonOf, remaining, type ActiveRule, type Turn } from './active-rule.ts';
import { meets, type Demand } from './condition.ts';
import type { Listeners } from './listeners.ts';
import { isOperators } from './operators.ts';
import type { CallFacts, RuleLabel } from './script.ts';
import { Work } from './steps.ts';

export interface ConsideredRule {
  scenario: string;
  rule: number;
  applied: boolean;
  reason: string;
}

export interface DecisionView {
  /** The scenario and the rule that was applied. */
  name?: string;
  rule?: number;
  /** Every rule that listens to the operation. Those after the one that was applied were not asked. */
  considered: ConsideredRule[];
  /** How many more there are. */
  not_shown?: number;
}

/** Replaces the secrets in a value. */
type Redact = (value: unknown) => unknown;

const MOST_SHOWN = 50;
const MOST_REASONS = 3;
const LONGEST_VALUE = 100;

/**
 * Why a call got the rule that it got, or none. Rules that it does not match are many, and why follows from the call:
 * that is worked out when somebody looks.
 */
export class Decision {
  readonly #listeners: Listeners;
  readonly #facts: CallFacts;
  readonly #turns: readonly Turn[];

  constructor(listeners: Listeners, facts: CallFacts, turns: readonly Turn[]) {
    this.#listeners = listeners;
    this.#facts = facts;
    this.#turns = turns;
  }

  /** The rule that was applied. */
  get rule(): RuleLabel | undefined {
    return this.#applied?.label;
  }

  view(redact: Redact): DecisionView {
    const { rules } = this.#listeners;
    const shown = this.#shown();
    const more = rules.length - shown.length;
    return {
      ...this.rule,
      considered: shown.map((active) => this.#considered(active, redact)),
      ...(more > 0 && { not_shown: more }),
    };
  }

  get #applied(): ActiveRule | undefined {
    return this.#turns.findLast(({ applied }) => applied)?.active;
  }

  /**
   * Where there are too many, those that were asked and that the call matches come first, then later ones that it
   * matches, then others; but the order stays.
   */
  #shown(): readonly ActiveRule[] {
    const { rules } = this.#listeners;
    if (rules.length <= MOST_SHOWN) return rules;
    const work = new Work();
    const isMatch = (active: ActiveRule) => meets(this.#facts, active.rule.demands, work);
    const end = this.#applied ? rules.indexOf(this.#applied) + 1 : rules.length;
    const [asked, later] = [rules.slice(0, end), rules.slice(end)];
    const matching = [...asked.filter(isMatch).slice(-MOST_SHOWN), ...later.filter(isMatch)];
    const shown = new Set([...new Set([...matching, ...rules])].slice(0, MOST_SHOWN));
    return rules.filter((active) => shown.has(active));
  }

  #considered(active: ActiveRule, redact: Redact): ConsideredRule {
    const turn = this.#turns.find((each) => each.active === active);
    const { name, rule } = active.label;
    const reason = turn ? reasonOf(turn) : (this.#cutOff(active) ?? this.#refusal(active, redact));
    return { scenario: name, rule, applied: turn?.applied ?? false, reason };
  }

  /** Of a rule that comes after the one that was applied. */
  #cutOff(active: ActiveRule): string | undefined {
    const { rules } = this.#listeners;
    const applied = this.#applied;
    if (!applied || applied.rule.goesOn || rules.indexOf(active) < rules.indexOf(applied)) return undefined;
    return `not asked: ${applied.label.name} rules[${applied.label.rule}] was applied before`;
  }

  /** Whether it costs more than all that one call has. */
  #isTooMuch(demand: Demand): boolean {
    const work = new Work();
    meets(this.#facts, [demand], work);
    return work.isSpent;
  }

  /** Of a rule that had no turn: it does not match, or it was used up. */
  #refusal(active: ActiveRule, redact: Redact): string {
    const { demands, times } = active.rule;
    if (demands.some((demand) => this.#isTooMuch(demand)))
      return 'not compared: a text of the call is too long for the expression';
    const missed = demands.filter((demand) => !meets(this.#facts, [demand])).slice(0, MOST_REASONS);
    if (missed.length === 0 && remaining(active) === 0) return `used up: applied ${times} of ${times} times`;
    if (missed.length === 0) return 'not compared: the rules before took all the time that one call has';
    return missed.map((demand) => mismatch(demand, demand.look(this.#facts), redact)).join('; ');
  }
}

function mismatch({ at, wanted }: Demand, actual: unknown, redact: Redact): string {
  const names = at.slice(2).map(String);
  const quote = at[1] === 'body' ? JSON.stringify : plainly;
  const isSecret = redactAt(names, '', redact) !== '';
  const asked = isSecret ? 'another' : describe(redactAt(names, wanted, redact), quote);
  const was = actual === undefined ? 'absent' : shorten(quote(redactAt(names, actual, redact)));
  return `${at.join('.')}: wanted ${asked}, was ${isSecret && actual !== undefined ? '[redacted]' : was}`;
}

/** A value that stands at a path in a body, or under a name: a member on the way may be secret as a whole. */
function redactAt(path: readonly string[], value: unknown, redact: Redact): unknown {
  const whole = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : at), redact(whole));
}

const plainly = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Operators by their names: `contains "a" and not {"in":["b"]}`. */
const describe = (wanted: unknown, quote: (value: unknown) => string): string =>
  isOperators(wanted)
    ? Object.entries(wanted)
        .map(([name, operand]) => `${name.replace('_', ' ')} ${quote(operand)}`)
        .join(' and ')
    : quote(wanted);

const shorten = (text: string) =>
  text.length > LONGEST_VALUE ? `${beginningOf(text, LONGEST_VALUE)}...` : text;
