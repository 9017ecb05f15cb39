import { stringify } from 'yaml';
import type { Contract } from '@understudy/core/contract/contract';
import type { Exchange } from '../recordings/exchange.ts';
import { canonicalText, isObject } from '@understudy/text/json';
import type { Finding } from './difference.ts';
import { placeOf } from './drift-text.ts';
import { isMadeUp } from './pairs.ts';

/** Texts of files that bring Understudy nearer to the service; undefined: there is nothing to write. */
interface Proposal {
  /** A scenario with which Understudy answers as the service did. */
  scenario: string | undefined;
  /** An OpenAPI overlay for the contract. */
  overlay: string | undefined;
  /** Findings that neither can express. */
  left: Finding[];
}

interface ProposedRule {
  on: string;
  when?: object;
  after?: number;
  times?: number;
  reply?: object;
  patch?: object;
  contract?: 'violated';
  /** What it answers for. */
  findings: Finding[];
}

/** Writes down what would make Understudy do the same. */
export function proposalFor(
  findings: readonly Finding[],
  exchanges: readonly Exchange[],
  contract: Contract,
): Proposal {
  const drifts = findings.filter(({ verdict }) => verdict === 'drift');
  const byNumber = new Map(exchanges.map((exchange) => [exchange.n, exchange]));
  const rules = new Map<string, ProposedRule>();
  const left: Finding[] = [];
  for (const finding of drifts) {
    const exchange = finding.exchange === undefined ? undefined : byNumber.get(finding.exchange);
    const rule = exchange && ruleFor(finding, exchange, { exchanges, contract, findings: drifts });
    if (rule) join(rules, rule, finding);
    else if (!contractChange(finding)) left.push(finding);
  }
  const changes = drifts.flatMap((finding) => contractChange(finding) ?? []);
  return {
    scenario: rules.size === 0 ? undefined : scenarioText([...rules.values()]),
    overlay: changes.length === 0 ? undefined : overlayText(changes),
    left,
  };
}

/** Findings of one call become one rule, and equal rules are written once. */
function join(
  rules: Map<string, ProposedRule>,
  { findings: _, ...rule }: ProposedRule,
  finding: Finding,
): void {
  const key = rule.reply ? JSON.stringify(rule) : JSON.stringify([rule.on, rule.when, 'patch']);
  const known = rules.get(key);
  if (!known) return void rules.set(key, { ...rule, findings: [finding] });
  known.findings.push(finding);
  if (rule.patch) known.patch = merged(known.patch ?? {}, rule.patch);
  if (rule.contract) known.contract = rule.contract;
}

function merged(one: object, other: object): object {
  const whole = new Map<string, unknown>(Object.entries(one));
  for (const [name, value] of Object.entries(other)) {
    const known = whole.get(name);
    whole.set(name, isObject(known) && isObject(value) ? merged(known, value) : value);
  }
  return Object.fromEntries(whole);
}

interface Evidence {
  exchanges: readonly Exchange[];
  contract: Contract;
  findings: readonly Finding[];
}

function ruleFor(finding: Finding, exchange: Exchange, evidence: Evidence): ProposedRule | undefined {
  const { operation, protocol, response } = exchange;
  if (protocol === 'webhook') {
    const patch = patchFor(finding);
    return patch && { on: `webhook.${finding.subject}`, patch, findings: [] };
  }
  if (operation === undefined || !['rest', 'oauth'].includes(protocol)) return undefined;
  const { contract, exchanges } = evidence;
  const when = conditionOf(exchange, contract);
  if (response.status < 400) {
    const patch = patchFor(finding);
    const condition = isSometimes(finding, exchange, evidence) && when && { when };
    return patch && { on: operation, ...condition, patch, contract: 'violated', findings: [] };
  }
  // Without a condition, no call of the operation would succeed any more.
  if (!when || !/^(status|error code|message|detail)$/.test(finding.kind)) return undefined;
  const condition = canonicalText(when);
  const alike = exchanges.filter(
    (each) => each.operation === operation && canonicalText(conditionOf(each, contract) ?? {}) === condition,
  );
  // One of several equal requests: those before it and after it got another answer.
  const place = alike.length > 1 && { after: alike.indexOf(exchange), times: 1 };
  const { status, json } = response;
  const reply = { status, ...(json !== undefined && { body: json }), contract: 'violated' };
  return { on: operation, when, ...place, reply, findings: [] };
}

/** Whether other calls of the operation succeeded without this difference. */
const isSometimes = ({ kind, at }: Finding, { n, operation }: Exchange, { exchanges, findings }: Evidence) =>
  exchanges.some(
    (each) =>
      each.n !== n &&
      each.operation === operation &&
      each.response.status < 400 &&
      !findings.some((other) => other.exchange === each.n && other.kind === kind && other.at === at),
  );

/** What the request had that was not made up, so that other requests get their usual answer. */
function conditionOf({ request }: Exchange, contract: Contract): object | undefined {
  const [path = ''] = request.path.split('?', 1);
  const { params } = contract.router.route(request.method, path);
  const [named, sent] = [params, request.json].map(plainIn);
  const when = { ...(named && { path: named }), ...(sent && { body: sent }) };
  return Object.keys(when).length === 0 ? undefined : when;
}

/** The members that say what a request is about; three are enough. */
function plainIn(value: unknown): object | undefined {
  const members = isObject(value) ? Object.entries(value) : [];
  const plain = members.filter(
    ([, each]) =>
      (typeof each === 'string' && !isMadeUp(each)) || typeof each === 'number' || typeof each === 'boolean',
  );
  return plain.length === 0 ? undefined : Object.fromEntries(plain.slice(0, 3));
}

/** A merge patch cannot reach into a list, and what is made up differs from call to call. */
function patchFor({ at, kind, theirs, ours }: Finding): object | undefined {
  const isValue = /^(value|enum value|type|empty value|field added|field missing|paging)$/.test(kind);
  const [root = '', ...steps] = at.split('.');
  if (
    !isValue ||
    !['body', 'event'].includes(root) ||
    steps.length === 0 ||
    at.includes('[]') ||
    at.includes('(token)')
  )
    return undefined;
  if (theirs === undefined && ours === undefined) return undefined;
  return steps.reduceRight<unknown>((inner, name) => ({ [name]: inner }), theirs ?? null) as object;
}

function scenarioText(rules: readonly ProposedRule[]): string {
  const head = [
    '# Proposed by understudy drift: with this scenario Understudy answers as the recorded service did.',
    '# Check each rule: one example does not show that the service always answers so.',
  ];
  const body = rules.map(({ findings, ...rule }) => {
    const written = stringify([rule], { lineWidth: 0, aliasDuplicateObjects: false });
    const comments = findings
      .map((finding) => `  # ${placeOf(finding)}: ${finding.message.replaceAll(/\s+/g, ' ')}\n`)
      .join('');
    return comments + written.replaceAll(/^/gm, '  ').trimEnd();
  });
  return [
    ...head,
    'name: as-recorded',
    'description: Understudy answers as the recorded service did.',
    'rules:',
    ...body,
    '',
  ].join('\n');
}

interface ContractChange {
  target: string;
  update: object;
  finding: Finding;
}

/** Additions only: that an answer lacked a field does not show that it never has one. */
function contractChange(finding: Finding): ContractChange | undefined {
  const { kind, contract, theirs, at } = finding;
  if (contract === undefined) return undefined;
  if (kind === 'enum value' && theirs !== undefined)
    return { target: pathOf(contract), update: { enum: [theirs] }, finding };
  if (kind !== 'field added' || finding.severity !== 'cosmetic') return undefined;
  const name = at.slice(at.lastIndexOf('.') + 1);
  return {
    target: `${pathOf(contract)}.properties`,
    update: { [name]: { type: typeNameOf(theirs) } },
    finding,
  };
}

const typeNameOf = (value: unknown) =>
  Array.isArray(value) ? 'array' : value === null || value === undefined ? 'string' : typeof value;

/** A JSON pointer as JSONPath. */
const pathOf = (pointer: string): string =>
  pointer
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, step) => (/^\w+$/.test(step) ? `${path}.${step}` : `${path}[${JSON.stringify(step)}]`),
      '$',
    );

function overlayText(changes: readonly ContractChange[]): string {
  const overlay = {
    overlay: '1.0.0',
    info: { title: 'What a service has and the contract of Understudy does not', version: '1' },
    actions: changes.map(({ target, update, finding }) => ({
      target,
      description: `${placeOf(finding)}: ${finding.message}`,
      update,
    })),
  };
  return `# Proposed by understudy drift: an overlay for the OpenAPI document that Understudy serves at /openapi.json.\n${stringify(overlay, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}
