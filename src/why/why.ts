import type { Cause, WhyKind } from '../contract/cause.ts';
import type { Entry, Refusal } from '../journal/entry.ts';
import { FAILURES, type FieldViolation } from '../contract/errors.ts';
import { isObject, jsonIn } from '@understudy/text/json';
import type { RuleLabel } from '../scenarios/call-facts.ts';
import { writtenDuration } from '@understudy/text/duration';
import { counted } from '@understudy/text/words';
import { plainTime, sentence, type Fact, type Place, type Reasons, type Remedy, type Why } from './answer.ts';
import { credentialReasons } from './credentials.ts';
import { hasNoOperation, noOperationReasons } from './nearest-operations.ts';
import { rowReasons, unknownRow } from './rows.ts';
import { stateReasons } from './states.ts';
import { successReasons } from './success.ts';

/** Why the call got its answer. Nothing of it is worked out before somebody asks. */
export function explain(entry: Entry, place: Place): Why {
  const { refusal, isClosed, status } = entry;
  if (!isClosed) return plainWhy('The call is under way.');
  if (isScripted(entry)) return scenarioWhy(entry, place);
  if (refusal) return refusedWhy(refusal, entry, place);
  if (status === undefined)
    return plainWhy('The caller left, or the process ended, before there was an answer.');
  return hasFailed(entry) ? unexplained(entry) : successWhy(entry, place);
}

/** Whether a rule of a scenario gave the answer, or broke it off. */
function isScripted({ decision, refusal, status }: Entry): boolean {
  if (!decision?.rule) return false;
  if (status === undefined) return true;
  return refusal ? refusal.why?.kind === 'scenario' : status >= 400;
}

function refusedWhy({ message, why = NO_CAUSE }: Refusal, entry: Entry, place: Place): Why {
  const found = reasonsOf(why, entry, place, message);
  const { summary = sentence(why.says ?? message), because = [], remedies = [] } = found;
  return {
    kind: why.kind,
    summary,
    because: [...because, ...otherFacts(entry)],
    remedies,
    guessed: entry.rules,
  };
}

function successWhy(entry: Entry, place: Place): Why {
  const { decision, rules } = entry;
  const { summary, because } = successReasons(entry);
  const facts = [...because, ...otherFacts(entry)];
  if (!decision?.rule) return { kind: 'none', summary, because: facts, remedies: [], guessed: rules };
  const { name, rule } = decision.rule;
  return {
    kind: 'scenario',
    summary: `Rule ${rule} of scenario ${name} was applied; ${lifetimeOf({ name, rule }, place)}. ${summary}`,
    because: facts,
    remedies: [],
    guessed: rules,
  };
}

/** Whether nothing says why the call was refused. */
export const isUnexplained = (entry: Entry): boolean =>
  hasFailed(entry) && (entry.refusal ? !entry.refusal.why : !entry.decision?.rule && !saidIn(entry));

const hasFailed = ({ status = 0 }: Entry) => status >= 400;

const NO_CAUSE: Cause = { kind: 'none' };

const plainWhy = (summary: string): Why => ({
  kind: 'none',
  summary,
  because: [],
  remedies: [],
  guessed: [],
});

function scenarioWhy(entry: Entry, place: Place): Why {
  const { name, rule } = entry.decision!.rule!;
  const answer = entry.status === undefined ? 'left the call without an answer' : `answered ${entry.status}`;
  const says = entry.refusal ? `: ${entry.refusal.message.replace(/\.$/, '')}` : '';
  const lifetime = lifetimeOf({ name, rule }, place);
  return {
    kind: 'scenario',
    summary: sentence(`Rule ${rule} of scenario ${name} ${answer}${says}; ${lifetime}`),
    because: [...toolFacts(entry), ...ruleFacts(entry)],
    remedies: [
      {
        text: `Unload the scenario ${name}.`,
        method: 'DELETE',
        path: `/_control/v1/scenarios/${encodeURIComponent(name)}`,
      },
    ],
    // The operation did not decide, so neither did the guesses about it.
    guessed: [],
  };
}

/** How long the rule goes on. */
function lifetimeOf({ name, rule }: RuleLabel, { environment }: Place): string {
  const loaded = environment.scenarios.find(name)?.rules[rule];
  if (!loaded) return 'the scenario is no longer loaded';
  const { hits, remaining } = loaded;
  if (remaining === undefined) return 'the rule goes on until the scenario is unloaded';
  if (remaining > 0) return `the rule will be applied ${times(remaining)} more`;
  return `the rule is used up, because it was to be applied ${hits === 1 ? 'only once' : times(hits)}`;
}

const times = (count: number) => counted(count, 'time');

const MOST_RULES = 5;

/** What the rules of scenarios did, that of the applied one first. */
function ruleFacts({ decision }: Entry): Fact[] {
  const { considered = [] } = decision?.view((value) => value) ?? {};
  const applied = considered.filter((rule) => rule.applied);
  return [...applied, ...considered.filter((rule) => !rule.applied)]
    .slice(0, MOST_RULES)
    .map(({ scenario, rule, applied: isApplied, reason }) => ({
      text: `Rule ${rule} of scenario ${scenario} was ${isApplied ? '' : 'not '}applied: ${reason}.`,
    }));
}

function reasonsOf(why: Cause, entry: Entry, place: Place, message: string): Reasons {
  if (hasNoOperation(entry)) return noOperationReasons(entry, place);
  switch (why.kind) {
    case 'unknown':
      return why.noun === undefined ? rowsOf(why, entry, place) : unknownRow(why, entry, place);
    case 'contract':
      return contractReasons(entry);
    case 'time':
      return timeReasons(message, why, entry, place);
    case 'authentication':
      return credentialReasons(entry, place);
    case 'state':
      return stateReasons(why, entry, place, message);
    case 'permission':
      return { because: callerFacts(entry), ...rowsOf(why, entry, place) };
    default:
      return rowsOf(why, entry, place);
  }
}

const rowsOf = ({ rows }: Cause, entry: Entry, place: Place): Reasons =>
  rows ? rowReasons(rows, entry, place) : {};

const MOST_VIOLATIONS = 5;

function contractReasons({ violations, operation, body }: Entry): Reasons {
  const remedies: Remedy[] = operation
    ? [{ text: `Read what ${operation} takes.`, method: 'GET', path: '/openapi.json' }]
    : [];
  const [first] = violations;
  if (!first) return { remedies };
  const text = ({ field, description }: { field: string; description: string }) =>
    field === '' ? description : `${field}: ${description}`;
  return {
    summary: sentence(`The request breaks the contract: ${text(first)}${missing(first, body)}`),
    because: violations.slice(1, MOST_VIOLATIONS).map((violation) => ({ text: text(violation) })),
    remedies,
  };
}

/** Rules that an absent field breaks, too. */
const LEAST = /^(required|string\.min_len|repeated\.min_items)$/;

/** Says of a member of the body whether it is absent or empty, where the rule is about a least length. */
function missing({ field, constraint }: FieldViolation, body: unknown): string {
  const [first = '', ...rest] = field.split('.');
  if (!LEAST.test(constraint) || !isObject(body) || (rest.length === 0 && !(first in body))) return '';
  // Over REST, the body of many operations is what the first name of the field means.
  const steps = first in body ? [first, ...rest] : rest;
  const value = steps.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), body);
  if (value === undefined) return '; it is absent';
  return value === '' ? '; it is empty' : '';
}

function timeReasons(message: string, why: Cause, entry: Entry, place: Place): Reasons {
  const { name, clock } = place.environment;
  const rows = rowsOf(why, entry, place);
  const then = why.ended === undefined ? '' : `: it ended at ${plainTime(why.ended)}, and`;
  const now = `the clock of environment ${name} said ${plainTime(entry.time)}`;
  const reason = (why.says ?? message).replace(/\.$/, '');
  const { mode, offset_ms } = clock.view();
  const moved =
    mode === 'frozen'
      ? 'The clock of the environment is frozen.'
      : `The clock of the environment is moved by ${writtenDuration(offset_ms)}.`;
  const isMoved = mode !== 'real';
  return {
    summary: sentence(then === '' ? `${reason}; ${now}` : `${reason}${then} ${now}`),
    because: [...(isMoved ? [{ text: moved }] : []), ...(rows.because ?? [])],
    remedies: [...(isMoved ? [CLOCK_BACK] : []), ...(rows.remedies ?? [])],
  };
}

const CLOCK_BACK: Remedy = {
  text: 'Set the clock of the environment to the time of the machine.',
  method: 'PUT',
  path: '/_control/v1/clock',
  body: { mode: 'real' },
};

const otherFacts = (entry: Entry): Fact[] => [
  ...toolFacts(entry),
  ...interceptorFacts(entry),
  ...ruleFacts(entry),
];

/** The status that SDKs make of a gRPC code. */
const STATUS_OF: Readonly<Record<number, number | undefined>> = Object.fromEntries(
  Object.values(FAILURES)
    .toReversed()
    .map(({ grpc, http }) => [grpc, http]),
);

/** A tool's failure has two statuses: that of the answer, and that of the code, which SDKs go by. */
function toolFacts({ status, replyText = '' }: Entry): Fact[] {
  if (!replyText.includes('"tool_error_info"')) return [];
  const { code, details } = (jsonIn(replyText) ?? {}) as ToolAnswer;
  const info = details?.find((each) => each.tool_error_info)?.tool_error_info;
  if (code === undefined || !info) return [];
  const heard = STATUS_OF[code] ?? status;
  return [
    { text: sentence(`The provider failed with ${info.tool_error_code}: ${info.tool_error_message}`) },
    {
      text: `The answer has the status ${status}; its code is ${code}, which SDKs report as ${heard}.`,
    },
  ];
}

interface ToolAnswer {
  code?: number;
  details?: { tool_error_info?: { tool_error_code: string; tool_error_message: string } }[];
}

const interceptorFacts = ({ interceptors }: Entry): Fact[] =>
  interceptors.map(({ shown: { interceptor_id, trigger_point, url, decision, policy, error } }) => {
    const by = policy === undefined ? '' : ` by its policy ${policy}`;
    const flaw = error === undefined ? '' : `: ${error}`;
    return {
      text: `Interceptor ${interceptor_id} for ${trigger_point} at ${url} decided ${decision}${by}${flaw}.`,
      row: `interceptors/${interceptor_id}`,
    };
  });

function callerFacts({ caller }: Entry): Fact[] {
  if (!caller) return [];
  const { client_id, subject, directory_id } = caller;
  if (directory_id !== undefined)
    return [{ text: `The caller is the identity provider of directory ${directory_id}.` }];
  const who =
    subject === undefined || subject === client_id
      ? `client ${client_id}`
      : `${subject}, with client ${client_id}`;
  return [{ text: `The caller is ${who}.` }];
}

/** A page, or a message of MCP: it says itself why. */
function unexplained(entry: Entry): Why {
  const { cause, status = 0, rules } = entry;
  if (cause !== undefined) return plainWhy('Understudy itself failed: see the error of the call.');
  const said = saidIn(entry);
  if (!said) return { ...plainWhy('The answer comes from the state of the environment.'), guessed: rules };
  const kind = said.kind ?? KIND_OF_PAGE[status] ?? 'state';
  return { kind, summary: said.text, because: otherFacts(entry), remedies: [], guessed: rules };
}

/** A page does not say more about its reason than its status does. */
const KIND_OF_PAGE: Readonly<Record<number, WhyKind | undefined>> = {
  401: 'authentication',
  403: 'permission',
  404: 'unknown',
  410: 'time',
  429: 'limit',
};

function saidIn({ replyText = '' }: Entry): { text: string; kind?: WhyKind } | undefined {
  if (replyText.startsWith('{')) {
    const { error } = (jsonIn(replyText) ?? {}) as { error?: { message?: unknown } };
    return typeof error?.message === 'string'
      ? { text: sentence(error.message), kind: 'protocol' }
      : undefined;
  }
  const [, text] = PAGE_TEXT.exec(replyText) ?? /<h1[^>]*>([^<]+)</.exec(replyText) ?? [];
  return text === undefined ? undefined : { text: sentence(`The page says: ${plainOf(text)}`) };
}

const PAGE_TEXT = /class="alert bad"[^>]*>([^<]+)</;

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

const plainOf = (markup: string): string =>
  markup.replace(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity]!).trim();
