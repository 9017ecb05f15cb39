import { unchecked, type JournalEntry, type RequestPage } from '@understudy/client/control';
import { ToolError } from '../service-address.ts';
import { evidenceFor, evidenceLines } from '@understudy/client/evidence';
import { hasFailed } from '@understudy/client/failed-call';
import { callLine, reasonsOf, summaryOf, type NextSteps } from '@understudy/client/reasons';
import { traceLines } from '@understudy/client/trace-lines';
import { clipped, fitting } from '../size.ts';
import {
  from,
  NONE,
  READS,
  REMOVES,
  tool,
  COUNT_TO_WAIT_FOR,
  WAIT,
  waiting,
  type WaitArguments,
} from '../tool.ts';

const USUAL_LIMIT = 20;

const NEXT_STEPS: NextSteps = {
  unload: (scenario) =>
    `unload_scenario with name ${scenario} undoes the rule; list_scenarios shows its hits.`,
  describe: (operation) => `describe_operation with operation ${operation} shows what the request may have.`,
  authenticate: 'make_token makes a token; call_operation sends one by itself.',
  listRows: 'list_rows shows which rows there are.',
  fix: (call) => `list_remedies with id ${call} lists what would help, and get_trace what it caused.`,
  findOperation: 'describe_operation with a search word finds the operation.',
};

const CALL_ID = {
  type: 'string',
  minLength: 1,
  description: 'The header understudy-request-id of the answer: req_3',
};

export const callTools = [
  tool<RequestPage & WaitArguments>({
    name: 'list_calls',
    description:
      'Lists calls to the simulated API, oldest first, with status, message and the scenario that answered. All filters must match. `wait`: first waits until `count` calls match.',
    input: {
      operation: from('Control_ListRequests', { description: 'An id or a glob: UserService_*' }),
      status: from('Control_ListRequests', {
        type: ['string', 'integer'],
        description: '403, or a class: 4xx',
      }),
      method: from('Control_ListRequests', { description: NONE }),
      path: from('Control_ListRequests', { description: 'A path, glob or template, without the query' }),
      since: from('Control_ListRequests', { description: 'Only calls after this call id' }),
      before: from('Control_ListRequests', { description: 'Only calls before this call id' }),
      limit: from('Control_ListRequests', { default: USUAL_LIMIT, description: NONE }),
      wait: WAIT,
      count: COUNT_TO_WAIT_FOR,
    },
    hints: READS,
    async run(
      { wait, count, limit = USUAL_LIMIT, before, status, ...others },
      { environment: { requests }, signal },
    ) {
      const filter = { ...others, status: status === undefined ? undefined : unchecked(String(status)) };
      const waited = waiting({ wait, count }, signal);
      if (waited && before !== undefined) throw new ToolError('before: cannot be given together with wait');
      const calls = waited
        ? (await requests.waitForCount(waited.count, filter, waited.options)).slice(-limit)
        : await requests.list({ ...filter, before, limit });
      const shown = fitting(calls.map(summaryOf).toReversed()).toReversed();
      const isCut = shown.length < calls.length || (!waited && calls.length === limit);
      const more = isCut ? `There may be earlier calls: list_calls with before ${shown[0]!.id}.` : undefined;
      const lines = shown.length === 0 ? ['No call matches.'] : shown.map(callLine);
      return {
        text: [...lines, ...(more === undefined ? [] : [more])].join('\n'),
        data: { calls: shown, more },
      };
    },
  }),

  tool<{ id?: string }>({
    name: 'explain_call',
    description:
      'Says why a call was answered as it was (in one sentence, with the rows, calls and times that decided), what it changed and how to go on, with request and answer. Without `id`: the latest call that failed, or else the latest.',
    input: {
      id: CALL_ID,
    },
    hints: READS,
    async run({ id }, { environment: { requests }, access }) {
      const entry = await requests.get(id ?? (await latest(requests)).id);
      const { reasons, next } = reasonsOf(entry, NEXT_STEPS);
      const evidence =
        entry.operation &&
        entry.why?.kind !== 'scenario' &&
        evidenceFor(access.documents.service(), entry.operation, entry.why?.guessed);
      const { value: call, isCut } = clipped(entry as unknown as Record<string, unknown>, 8000);
      const text = [
        callLine(summaryOf(entry)),
        ...reasons.map((reason) => `- ${reason}`),
        ...(evidence ? evidenceLines(evidence, '').map((line) => `- ${line}`) : []),
        ...next,
        `Request: ${JSON.stringify(call['request'])}`,
        `Answer: ${JSON.stringify(call['response'])}`,
        ...(isCut ? ['Long values are cut; GET /_control/v1/requests/{id} has the whole call.'] : []),
      ];
      return { text: text.join('\n'), data: { id: entry.id, reasons, next, call } };
    },
  }),

  tool<{ id?: string }>({
    name: 'list_remedies',
    description:
      'Lists what would help a call: create the row, move the clock back, get a token, unload or load the scenario, send the call again. Nothing is done; apply_remedy does one. Without `id`: the latest call that failed, or else the latest.',
    input: { id: CALL_ID },
    hints: READS,
    async run({ id }, { environment: { requests } }) {
      const call = id ?? (await latest(requests)).id;
      const remedies = await requests.remedies(call);
      const lines = remedies.map(({ number, text, method, path }) => `${number}. ${text} ${method} ${path}`);
      const next =
        remedies.length > 0 ? `apply_remedy with id ${call} and a number does one.` : 'Nothing would help.';
      return { text: [`${call}:`, ...lines, next].join('\n'), data: { call, remedies } };
    },
  }),

  tool<{ id: string; number: number }>({
    name: 'apply_remedy',
    description:
      'Does what list_remedies has under this number. Do it only if the user wants the state changed.',
    input: { id: CALL_ID, number: { type: 'integer', minimum: 1 } },
    required: ['id', 'number'],
    hints: REMOVES,
    async run({ id, number }, { environment: { requests } }) {
      const done = await requests.fix(id, number);
      const { value } = clipped({ body: done.body ?? null }, 4000);
      return { text: `${done.text} → ${done.status} ${JSON.stringify(value['body'])}`, data: { ...done } };
    },
  }),

  tool<{ id?: string }>({
    name: 'get_trace',
    description:
      'Shows what a call caused: rows, events, webhook deliveries with their attempts, mails, what is due, and later calls. `id` may also be that of a delivery, a mail, an event or another row: the trace of the call that made it. Without `id`: the latest call that failed, or else the latest.',
    input: { id: { type: 'string', minLength: 1, description: 'A call, such as req_3, or a row' } },
    hints: READS,
    async run({ id }, { environment: { requests } }) {
      const trace = await requests.trace(id ?? (await latest(requests)).id);
      return { text: traceLines(trace).join('\n'), data: { ...trace } };
    },
  }),
];

interface Requests {
  list(page: RequestPage): Promise<JournalEntry[]>;
}

async function latest(requests: Requests): Promise<JournalEntry> {
  const calls = await requests.list({ limit: 100 });
  const entry = calls.findLast(hasFailed) ?? calls.at(-1);
  if (entry) return entry;
  throw new ToolError(
    'no call was made in this environment yet; make one with call_operation or from the application, or name another environment',
  );
}
