import { isObject } from '@understudy/text/json';

/** What the behaviour of an operation rests on. docs/fidelity.md says what the states mean. */
export interface Evidence {
  state: 'compared' | 'driven' | 'not driven';
  /** Who calls it, or why nobody does. */
  basis: string;
  /** Rules that no source of the service states; those that decided the call first. */
  unknown: readonly UnknownRule[];
}

/** A rule of docs/fidelity.md. */
interface UnknownRule {
  id: string;
  rule: string;
  /** What is not known. */
  open: string;
  /** Whether `understudy probe` can ask the service. */
  probe: boolean;
  /** Whether the rule decided the call that is explained. */
  decided: boolean;
}

interface Description {
  paths: Record<string, Record<string, unknown>>;
  'x-unknown-rules': Record<string, Pick<UnknownRule, 'rule' | 'open' | 'probe'>>;
}

/** As the document has it. */
interface WrittenEvidence extends Pick<Evidence, 'state' | 'basis'> {
  unknown: readonly string[];
}

/**
 * The evidence for an operation, from the OpenAPI document at /openapi.json. `decided`: the rules that decided a call,
 * from its entry in the journal.
 */
export function evidenceFor(
  document: object,
  operation: string,
  decided: readonly string[] = [],
): Evidence | undefined {
  const { paths } = document as Description;
  for (const found of Object.values(paths).flatMap((item) => Object.values(item)))
    if (isObject(found) && found['operationId'] === operation && found['x-evidence'])
      return wholeEvidence(document, found['x-evidence'] as WrittenEvidence, decided);
  return undefined;
}

/** With the rules that the document only names. */
export function wholeEvidence(
  document: object,
  { state, basis, unknown }: WrittenEvidence,
  decided: readonly string[] = [],
): Evidence {
  const { 'x-unknown-rules': rules } = document as Description;
  const ids = [...new Set([...decided, ...unknown])].filter((id) => rules[id]);
  return {
    state,
    basis,
    unknown: ids.map((id) => ({ id, ...rules[id]!, decided: decided.includes(id) })),
  };
}

/** What the API reference, the dashboard and `explain` say about a rule. */
export const sentenceOf = ({ rule, open, decided }: UnknownRule): string =>
  `${decided ? 'A guess decided this call' : 'A guess about this operation'}: ${rule} ${open}`;

/** Where the documentation of a running Understudy describes the rule. */
export const pageOf = ({ id }: Pick<UnknownRule, 'id'>): string =>
  `/_control/docs/guesses/${id.split('/')[0]}.html#${id.replace('/', '')}`;

/** For a terminal. `url`: the address of Understudy. */
export const evidenceLines = ({ state, basis, unknown }: Evidence, url: string): string[] => [
  ...unknown.filter(({ decided }) => decided).map((each) => lineOf(each, url)),
  `Evidence for this operation: ${state}. ${basis}`,
  ...unknown.filter(({ decided }) => !decided).map((each) => lineOf(each, url)),
];

const lineOf = (rule: UnknownRule, url: string): string => `${sentenceOf(rule)} (${url}${pageOf(rule)})`;
