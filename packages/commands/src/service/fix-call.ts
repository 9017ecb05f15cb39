import { callLine, summaryOf } from '@understudy/client/reasons';
import { UsageError } from '@understudy/core/cli/usage-error';
import { latestCall } from './explain-call.ts';
import type { Session } from './session.ts';

export interface FixOptions {
  /** The number of the remedy to apply. */
  do?: number;
  /** The language to write the remedies in. */
  as?: string;
}

const LANGUAGES = ['curl', 'typescript', 'python', 'go', 'java'] as const;

/** Lists what would help a call, or applies one remedy. Without an id: the latest call that failed, or else the latest. */
export async function fixCall(
  session: Session,
  id: string | undefined,
  { do: number, as }: FixOptions,
): Promise<void> {
  const { environment, print } = session;
  const language = LANGUAGES.find((each) => each === as);
  if (as !== undefined && !language) throw new UsageError(`--as takes ${LANGUAGES.join(', ')}, not ${as}`);
  const call = await environment.requests.get(id ?? (await latestCall(environment)).id);
  if (number !== undefined) return applyRemedy(session, call.id, number);
  const remedies = await environment.requests.remedies(call.id);
  const lines = remedies.map((remedy) => {
    const { code, number: at, method, path, text } = remedy;
    return `  ${at}  ${text}  ${language ? (code[language] ?? code.curl) : `${method} ${path}`}`;
  });
  const next =
    remedies.length > 0 ? [`understudy fix ${call.id} --do 1 does the first one.`] : ['  nothing to do'];
  print({ call: call.id, remedies }, [callLine(summaryOf(call)), ...lines, ...next]);
}

const LONGEST = 500;

async function applyRemedy({ environment, print }: Session, call: string, number: number): Promise<void> {
  const done = await environment.requests.fix(call, number);
  const { text, status, body } = done;
  const shown = body === undefined ? '' : ` ${JSON.stringify(body)}`;
  const more = done.call === undefined ? '' : ` (${done.call})`;
  print(done, `${text} → ${status}${more}${shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown}`);
}
