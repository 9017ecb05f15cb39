import { callLine, reasonsOf, summaryOf, type NextSteps } from '@understudy/client/reasons';
import type { JournalEntry } from '@understudy/client/control';
import { evidenceFor, evidenceLines } from '@understudy/client/evidence';
import { dashboardAddress } from '@understudy/core/pages/html';
import { hasFailed } from '@understudy/client/failed-call';
import { UsageError } from '@understudy/core/cli/usage-error';
import type { Session } from './session.ts';

/**
 * Says why a call got its answer, and what Understudy's behaviour rests on. Without an id: the latest call that failed, or
 * else the latest.
 */
export async function explainCall({ environment, service, print }: Session, id?: string): Promise<void> {
  const entry = await environment.requests.get(id ?? (await latestCall(environment)).id);
  const { reasons, next } = reasonsOf(entry, nextStepsAt(service.url, entry.environment));
  const evidence =
    entry.operation === undefined || entry.why?.kind === 'scenario'
      ? undefined
      : evidenceFor(await documentOf(service.url), entry.operation, entry.why?.guessed);
  const lines = [...reasons, ...(evidence ? evidenceLines(evidence, service.url) : []), ...next];
  print({ call: entry, reasons, next, ...(evidence && { evidence }) }, [
    callLine(summaryOf(entry)),
    ...lines.map((line) => `  ${line}`),
  ]);
}

const USUAL_URL = 'http://localhost:8080';

/** Commands with the flags that this one was given, and pages of the dashboard. */
function nextStepsAt(url: string, environment: string): NextSteps {
  const flags = [
    ...(url === USUAL_URL ? [] : [` --url ${url}`]),
    ...(environment === 'default' ? [] : [` --environment ${environment}`]),
  ].join('');
  const page = (...steps: string[]) => `${url}${dashboardAddress(environment, ...steps)}`;
  return {
    unload: (scenario) =>
      `understudy scenarios unload ${scenario}${flags} undoes the rule; understudy scenarios list${flags} shows what is loaded.`,
    describe: (operation) => `${page('operation', operation)} shows what the request may have.`,
    authenticate: `understudy token${flags} prints a token; send it in the header authorization, after "Bearer ".`,
    listRows: `understudy state get${flags} shows which collections have rows, and understudy state get COLLECTION${flags} lists them.`,
    fix: (call) =>
      `understudy fix ${call}${flags} lists what would help; understudy trace ${call}${flags} shows what it caused.`,
    findOperation: `${page('reference')} lists the operations, and searches them by words and paths.`,
  };
}

async function documentOf(url: string): Promise<object> {
  const response = await fetch(`${url}/openapi.json`);
  if (!response.ok) throw new UsageError(`${url}/openapi.json answered ${response.status}`);
  return (await response.json()) as object;
}

export async function latestCall({ requests }: Session['environment']): Promise<JournalEntry> {
  const calls = await requests.list({ limit: 100 });
  const found = calls.findLast(hasFailed) ?? calls.at(-1);
  if (!found) throw new UsageError('the journal of the environment has no call');
  return found;
}
