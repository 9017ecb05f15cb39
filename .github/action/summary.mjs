// Stops Understudy, and writes the calls that failed to the job summary. They come from the log, because it also has the
// calls to environments that the tests have dropped. Fails if the service ends with an error.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as passing } from 'node:timers/promises';
import { annotate } from './annotation.mjs';
import { bundlesIn, upload } from './bundles.mjs';

const MOST_ROWS = 200;
const CALL =
  /^info: (?<method>\S+) (?<path>\S+) (?<status>\d{3}|-) (?<operation>.+) \S+ ms (?<environment>\S+) (?<id>req_\d+)(?<expected> \(.+\))?$/;
const REASON = /^debug: (?<id>req_\d+) (?<reason>.+)$/;
const PROBLEM = /^(?:warn|error): /;

const { STATE_pid: pid, STATE_log: log, STATE_started: isStarted } = process.env;
const { STATE_bundles: folder, STATE_began: began } = process.env;
if (pid) await stop(Number(pid));
if (log && existsSync(log)) {
  const lines = readFileSync(log, 'utf8').trimEnd().split(/\r?\n/);
  const failure = isStarted ? failureIn(lines) : '';
  if (failure !== '') {
    annotate(failure);
    process.exitCode = 1;
  }
  const names = isStarted && folder ? bundlesIn(folder, Number(began)) : [];
  const bundles = names.length > 0 ? await listOf(names) : '';
  if (isStarted && process.env.INPUT_SUMMARY !== 'false')
    appendFileSync(process.env.GITHUB_STEP_SUMMARY, summaryOf(lines, failure) + bundles);
}

/** The runs of failed tests, with a link to the artifact that has their files. */
async function listOf(names) {
  const place = await upload(folder, names).then(
    (url) => `[the artifact](${url})`,
    (thrown) => `\`${folder}\` (not uploaded: ${thrown.message})`,
  );
  const lines = names.map((name) => `- ${cell(`npx understudy-server open ${name}`)}`);
  return `#### Runs of failed tests, in ${place}\n\n${lines.join('\n')}\n`;
}

/** Waits, because the service writes the end of its log when it stops. */
async function stop(id) {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(id), '/t', '/f']);
    return;
  }
  for (let tries = 0; tries < 50 && isSent(id, tries === 0 ? 'SIGTERM' : 0); tries++) await passing(100);
}

/** The group also has the programs that npx has started. */
function isSent(id, signal) {
  try {
    return process.kill(-id, signal);
  } catch {
    return false; // It has ended.
  }
}

/** What the service says when it ends with an error, such as rules that were never applied. */
function failureIn(lines) {
  const start = lines.findLastIndex((line) => line.startsWith('understudy: '));
  return start < 0 ? '' : lines.slice(start).join('\n');
}

function summaryOf(lines, failure) {
  const calls = callsIn(lines);
  const expected = calls.filter((call) => call.expected !== undefined).length;
  // A fault can end a call without a status.
  const failed = calls.filter(
    (call) => call.expected === undefined && (call.status === '-' || call.status >= '400'),
  );
  const problems = [...lines.filter((line) => PROBLEM.test(line)).slice(0, MOST_ROWS), failure].filter(
    Boolean,
  );
  const outcome =
    calls.length === 0 ? 'no call was made' : `${failed.length} of ${calls.length} calls failed`;
  const parts = [`### Understudy: ${outcome}\n`];
  if (failed.length > 0) parts.push(tableOf(failed.slice(0, MOST_ROWS)));
  if (failed.length > MOST_ROWS) parts.push(`The first ${MOST_ROWS} are shown.\n`);
  if (expected > 0)
    parts.push(
      `Not counted as failed: ${expected} without a token. The SDK gets a token after such a call.\n`,
    );
  if (problems.length > 0) parts.push(`\`\`\`text\n${problems.join('\n')}\n\`\`\`\n`);
  return `${parts.join('\n')}\n`;
}

/** The lines that explain a call come after its own. Calls to two environments can have the same id. */
function callsIn(lines) {
  const calls = [];
  const latest = new Map();
  for (const line of lines) {
    const call = CALL.exec(line)?.groups;
    const { id, reason } = REASON.exec(line)?.groups ?? {};
    if (call) latest.set(call.id, calls[calls.push({ ...call, reasons: [] }) - 1]);
    else if (reason) latest.get(id)?.reasons.push(reason);
  }
  return calls;
}

function tableOf(calls) {
  const rows = calls.map(({ status, method, path, operation, environment, reasons }) => {
    const cells = [`${method} ${path}`, operation, environment].map(cell).join(' | ');
    return `| ${status} | ${cells} | ${reasons.map(cell).join('<br>')} |`;
  });
  return `${['| status | call | operation | environment | why |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')}\n`;
}

/** Text as code in a cell of a table: a bar would end the cell, and a back tick the code. */
function cell(text) {
  return `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}
