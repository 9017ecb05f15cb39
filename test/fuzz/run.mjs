// Checks both documents against the program with a public fuzzer (schemathesis): no request that a document
// allows is rejected, no request that it forbids is accepted, and every response is documented. Accepted
// findings are in known.mjs. Without Python or its package index, nothing is checked.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findingsIn } from './findings.mjs';
import { KNOWN } from './known.mjs';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '../..');
const PROGRAM = join(ROOT, 'dist/understudy.js');
const [VERSION] = /(?<=^schemathesis==).+/m.exec(readFileSync(join(HERE, 'requirements.txt'), 'utf8'));
const READY = join(tmpdir(), `understudy-schemathesis-${VERSION}`);

/**
 * With more examples, such as `npm run test:fuzz -- 50`, the fuzzer also draws random values; by default it
 * tries only edge cases.
 */
const EXAMPLES = Number(process.argv[2] ?? 0);
const PHASES = EXAMPLES > 0 ? 'examples,coverage,fuzzing' : 'examples,coverage';

/** The parts run in parallel to use two processors. */
const FIRST = '^/api/v1/(clients|conn|cust|environments|events|interceptors|invites|mcp|members)';
const PARTS = [
  ['control'],
  ['openapi', '--include-path-regex', FIRST],
  ['openapi', '--exclude-path-regex', FIRST],
];

const fuzzer = install();
const folder = mkdtempSync(join(tmpdir(), 'understudy-fuzz-'));
try {
  if (fuzzer) report((await Promise.all(PARTS.map(fuzz))).flat());
} finally {
  rmSync(folder, { recursive: true });
}

/** The path of the fuzzer, which is installed once per machine; undefined when the installation fails. */
function install() {
  const program = join(READY, 'bin/schemathesis');
  if (existsSync(program)) return program;
  try {
    execFileSync('python3', ['-m', 'venv', READY], { stdio: 'pipe' });
    const packages = ['install', '--quiet', '--requirement', join(HERE, 'requirements.txt')];
    execFileSync(join(READY, 'bin/pip'), packages, { stdio: 'pipe', timeout: 300_000 });
    return program;
  } catch (thrown) {
    rmSync(READY, { recursive: true, force: true });
    const reason = String(thrown.stderr || thrown.message)
      .trim()
      .split('\n')
      .at(-1);
    console.log(
      `skipped: schemathesis ${VERSION} needs Python 3.10 with venv and a package index: ${reason}`,
    );
    return undefined;
  }
}

/**
 * Runs the fuzzer on a part of a document against a separate service with a frozen clock, so that ids
 * repeat.
 */
async function fuzz([name, ...part], index) {
  const flags = [
    '--memory',
    '--port',
    '0',
    '--json',
    '--log-level',
    'warn',
    '--webhook-allow',
    '127.0.0.1:9',
  ];
  const service = spawn(process.execPath, [PROGRAM, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(createInterface(service.stdout), 'line');
    const report = join(folder, `${index}.ndjson`);
    const calls = await callsOf(join(ROOT, `dist/${name}.json`), JSON.parse(line));
    await runFuzzer([...calls, ...part, '--report-ndjson-path', report]);
    return await findingsIn(report);
  } finally {
    service.kill();
  }
}

async function callsOf(document, { url }) {
  await fetch(`${url}/_control/v1/clock`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mode: 'frozen', at: '2030-01-01T00:00:00Z' }),
  });
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(await ownClient(url)) });
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', body: form });
  const { access_token } = await response.json();
  const token = ['--header', `Authorization: Bearer ${access_token}`];
  return [document, '--url', url, ...token];
}

/** A client that no example names, because the fuzzer forbids the API to those that it knows. */
async function ownClient(url) {
  const [client_id, client_secret] = ['skc_9999999999999999999', 'test_secret_of_the_fuzzer'];
  const create_time = '2030-01-01T00:00:00Z';
  const secrets = [{ id: 'sks_99999999999999999', secret: client_secret, create_time }];
  const times = { create_time, update_time: create_time };
  const row = {
    id: client_id,
    client_type: 'ENV',
    name: 'Fuzzer',
    scopes: [],
    post_login_uris: [],
    ...times,
    secrets,
  };
  const made = await fetch(`${url}/_control/v1/state/clients/${client_id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(row),
  });
  if (!made.ok) throw new Error(`the fuzzer's client was not made: ${await made.text()}`);
  return { client_id, client_secret };
}

/** Ignores the fuzzer's own exit code, because it counts accepted findings as failures. */
async function runFuzzer(args) {
  const flags = ['--no-color', '--config-file', join(HERE, 'schemathesis.toml'), 'run'];
  const bounds = ['--phases', PHASES, '--max-examples', String(EXAMPLES || 1), '--generation-deterministic'];
  const all = ['--continue-on-failure', '--max-failures', '100000', '--report', 'ndjson'];
  const env = { ...process.env, SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: HERE, PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(fuzzer, [...flags, ...args, ...bounds, ...all], { cwd: folder, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-5000)));
  const [code] = await once(child, 'close');
  if (code > 1 || !/\d+ generated/.test(output))
    throw new Error(`schemathesis broke off (${code}): ${output}`);
  console.log(`${args[0].slice(ROOT.length + 1)}: ${/\d+(?= generated)/.exec(output)[0]} requests`);
}

function report(found) {
  const reasonsOf = (finding) =>
    KNOWN.filter(
      ({ check, on, says }) =>
        check === finding.check && on.test(finding.operation) && says.test(finding.says),
    );
  const used = new Set(found.flatMap(reasonsOf));
  for (const { on, says } of KNOWN.filter((each) => !used.has(each)))
    console.log(`known.mjs: nothing is like this any more: ${on} ${says}`);
  const kinds = new Map(
    found
      .filter((finding) => reasonsOf(finding).length === 0)
      .map(({ check, operation, says }) => [
        `${check} ${operation} ${says.split(' | ')[0].replaceAll(/\d+/g, '0')}`,
        `${check}: ${operation}: ${says}`,
      ]),
  );
  if (kinds.size === 0) return console.log(`${found.length} findings, each with a reason`);
  for (const line of kinds.values()) console.error(line);
  console.error(
    `${kinds.size} kinds of findings have no reason: mend the document or the program, or say why in test/fuzz/known.mjs`,
  );
  process.exitCode = 1;
}
