import type { Cause } from '../cause.ts';
import type { Entry, Refusal } from '../journal/entry.ts';
import { writtenDuration } from '../text/duration.ts';
import { plainTime, sentence, type Fact, type Place, type Reasons, type Remedy, type Why } from './answer.ts';
import { credentialReasons } from './credentials.ts';
import { rowReasons, unknownRow } from './rows.ts';
import { successReasons } from './success.ts';

/** Why the call got its answer. Nothing of it is worked out before somebody asks. */
export function explain(entry: Entry, place: Place): Why {
  const { refusal, decision, rules } = entry;
  if (!entry.isClosed) return plainWhy('The call is under way.');
  const isScripted = decision?.rule && (refusal ? refusal.why?.kind === 'scenario' : hasFailed(entry));
  if (isScripted || (decision?.rule && entry.status === undefined)) return scenarioWhy(entry);
  if (refusal) {
    const why = refusal.why ?? NO_CAUSE;
    const {
      summary = sentence(why.says ?? refusal.message),
      because = [],
      remedies = [],
    } = reasonsOf({ ...refusal, why }, entry, place);
    return { kind: why.kind, summary, because: [...because, ...ruleFacts(entry)], remedies, guessed: rules };
  }
  if (entry.status === undefined)
    return plainWhy('The caller left, or the process ended, before there was an answer.');
  if (hasFailed(entry)) return unexplained(entry);
  const { summary = '', because = [], remedies = [] } = successReasons(entry, place);
  const kind = decision?.rule ? 'scenario' : 'none';
  return { kind, summary, because: [...because, ...ruleFacts(entry)], remedies, guessed: rules };
}

/** Whether nothing says why the call was refused. */
export const isUnexplained = (entry: Entry): boolean =>
  hasFailed(entry) && (entry.refusal ? entry.refusal.why === undefined : !entry.decision?.rule);

const hasFailed = ({ status = 0 }: Entry) => status >= 400;

const NO_CAUSE: Cause = { kind: 'none' };

const plainWhy = (summary: string): Why => ({
  kind: 'none',
  summary,
  because: [],
  remedies: [],
  guessed: [],
});

function scenarioWhy(entry: Entry): Why {
  const { name, rule } = entry.decision!.rule!;
  const answer = entry.status === undefined ? 'left the call without an answer' : `answered ${entry.status}`;
  const says = entry.refusal ? `: ${entry.refusal.message}` : '';
  return {
    kind: 'scenario',
    summary: sentence(`Rule ${rule} of scenario ${name} ${answer}${says}`),
    because: ruleFacts(entry),
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

type KnownRefusal = Refusal & { why: Cause };

function reasonsOf({ message, why }: KnownRefusal, entry: Entry, place: Place): Reasons {
  switch (why.kind) {
    case 'unknown':
      return why.noun === undefined ? rowsOf(why, entry, place) : unknownRow(why, entry, place);
    case 'contract':
      return contractReasons(entry);
    case 'time':
      return timeReasons(message, why, entry, place);
    case 'authentication':
      return credentialReasons(entry, place);
    case 'interceptor':
      return interceptorReasons(entry);
    case 'permission':
      return { because: callerFacts(entry), ...rowsOf(why, entry, place) };
    default:
      return rowsOf(why, entry, place);
  }
}

const rowsOf = ({ rows }: Cause, entry: Entry, place: Place): Reasons =>
  rows ? rowReasons(rows, entry, place) : {};

const MOST_VIOLATIONS = 5;

function contractReasons({ violations, operation }: Entry): Reasons {
  const remedies: Remedy[] = operation
    ? [{ text: `Read what ${operation} takes.`, method: 'GET', path: '/openapi.json' }]
    : [];
  const [first] = violations;
  if (!first) return { remedies };
  const text = ({ field, description }: { field: string; description: string }) =>
    field === '' ? description : `${field}: ${description}`;
  return {
    summary: sentence(`The request breaks the contract: ${text(first)}`),
    because: violations.slice(1, MOST_VIOLATIONS).map((violation) => ({ text: text(violation) })),
    remedies,
  };
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

function interceptorReasons({ interceptors }: Entry): Reasons {
  const because = interceptors.map(({ shown }) => {
    const { interceptor_id, trigger_point, url, decision, policy, error } = shown;
    const by = policy === undefined ? '' : ` by its policy ${policy}`;
    const flaw = error === undefined ? '' : `: ${error}`;
    return {
      text: `Interceptor ${interceptor_id} for ${trigger_point} at ${url} decided ${decision}${by}${flaw}.`,
      row: `interceptors/${interceptor_id}`,
    };
  });
  return { because };
}

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

/** A page, or the answer of somebody else. */
function unexplained(entry: Entry): Why {
  const { providers, cause, replyText = '', rules } = entry;
  if (cause !== undefined) return plainWhy('Understudy itself failed: see the error of the call.');
  if (providers.length > 0) return { ...plainWhy('The answer is that of another server.'), kind: 'provider' };
  const [, problem] = /class="alert bad"[^>]*>([^<]+)</.exec(replyText) ?? [];
  if (problem !== undefined) return { ...plainWhy(sentence(`The page says: ${problem}`)), guessed: rules };
  return { ...plainWhy('The answer comes from the state of the environment.'), guessed: rules };
}
