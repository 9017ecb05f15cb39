import type { Env, Rows } from '../../state/env.ts';
import { SizeBudget } from '@understudy/text/json';
import { TemplateError } from './template-expression.ts';
import { checkTemplate, evaluate } from './template-grammar.ts';
import { RESERVED_CLAIMS, variablesOf, ROOTS, type TokenOwner } from './template-variables.ts';

export type Template = Rows['token_templates']['template'];

/** Unverified (interceptors/most-claims): the service refuses too many claims, but no source says how many. */
const MOST_CLAIMS = 50;
/** Unverified (interceptors/template-size): the size of a template and of its claims, in characters of JSON. */
const LONGEST = 16_000;

interface TemplateResult {
  claims: Record<string, unknown>;
  omitted_keys: string[];
}

/** Why the template cannot be saved; undefined: it can. */
export function flawOfTemplate(template: Template): string | undefined {
  const names = Object.keys(template);
  if (names.length > MOST_CLAIMS)
    return `template: has ${names.length} claims; at most ${MOST_CLAIMS} may be set`;
  if (JSON.stringify(template).length > LONGEST) return `template: has more than ${LONGEST} characters`;
  const reserved = names.find((name) => Object.hasOwn(RESERVED_CLAIMS, name));
  if (reserved !== undefined)
    return `template.${reserved}: the claim ${reserved} is the service's own; choose another name`;
  try {
    checkTemplate(template, ROOTS, 'template');
    return undefined;
  } catch (thrown) {
    if (thrown instanceof TemplateError) return thrown.message;
    throw thrown;
  }
}

/** The claims of a template for the owner of a token. Throws TemplateError. */
export function evaluateTemplate(
  env: Env,
  template: Template,
  owner: TokenOwner,
  budget = new SizeBudget(),
): TemplateResult {
  const flaw = flawOfTemplate(template);
  if (flaw !== undefined) throw new TemplateError(flaw);
  const variables = variablesOf(env, owner);
  const entries = Object.entries(template).map(
    ([name, value]) => [name, valueOf(name, () => evaluate(value, variables, budget))] as const,
  );
  const claims = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  if (JSON.stringify(claims).length > LONGEST)
    throw new TemplateError(`template: its claims have more than ${LONGEST} characters`);
  return { claims, omitted_keys: entries.flatMap(([name, value]) => (value === undefined ? [name] : [])) };
}

/** Names the claim in the message of a failure. */
function valueOf(name: string, evaluated: () => unknown): unknown {
  try {
    return evaluated();
  } catch (thrown) {
    if (thrown instanceof TemplateError) throw new TemplateError(`template.${name}: ${thrown.message}`);
    throw thrown;
  }
}

/**
 * What the enabled template adds to an access token. A claim that fails is left out (Scalekit docs, Customize JWT
 * template), and so are all claims if they are too large together.
 */
export function templateClaims(env: Env, owner: TokenOwner): Record<string, unknown> {
  const saved = env.token_templates.list().at(0);
  if (!saved?.enabled) return {};
  const budget = new SizeBudget();
  const working = Object.entries(saved.template).filter(
    ([name, value]) => claimsOf(env, { [name]: value }, owner, budget) !== undefined,
  );
  return claimsOf(env, Object.fromEntries(working), owner, new SizeBudget()) ?? {};
}

/** The claims that the template gives; undefined if it cannot be evaluated for this owner. */
function claimsOf(
  env: Env,
  template: Template,
  owner: TokenOwner,
  budget: SizeBudget,
): Record<string, unknown> | undefined {
  try {
    return evaluateTemplate(env, template, owner, budget).claims;
  } catch (thrown) {
    if (thrown instanceof TemplateError || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}
