// Runs the examples of README.md and docs/. The `sh` blocks of a page run in order, as one bash script,
// against a separate service; each call must have the status in its comment (`# 201`, or `# 201, and why`).
// Then the `ts` blocks that are tests run in vitest; `npm run check:examples` writes them.
//
//   node test/docs/run.mjs            every page
//   node test/docs/run.mjs webhooks   pages whose name has this word
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pageFiles, readPage } from '../../scripts/markdown.mjs';
import { expectedStatuses } from './statuses.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'dist/understudy.js');
process.chdir(ROOT);

function isRun({ language, reason }) {
  return language === 'sh' && reason === undefined;
}

async function runPage({ file, blocks }) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-docs-'));
  const service = await startService();
  try {
    const expected = blocks.flatMap(expectedStatuses);
    const { code, calls, output } = runScript(blocks.map(({ text }) => text).join('\n'), service.url, folder);
    const isRight =
      code === 0 &&
      calls.length === expected.length &&
      calls.every(({ status }, index) => status === expected[index].status);
    console.log(`${isRight ? 'ok    ' : 'FAILED'} ${file}: ${calls.length} calls`);
    if (!isRight) explain({ file, code, calls, output, expected });
    return isRight;
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}

async function startService() {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('UNDERSTUDY_'));
  const flags = ['serve', '--memory', '--port', '0', '--json', '--stop-with-stdin'];
  const child = spawn(process.execPath, [PROGRAM, ...flags], {
    env: Object.fromEntries(own),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const stop = async () => {
    child.stdin.end();
    await once(child, 'close');
  };
  return { url: JSON.parse(line).url, stop };
}

/**
 * `curl` records the status of each call, and `npx understudy-server` runs the program of this checkout. A stream that ends after
 * some seconds (`curl -sN -m`) ends once it has begun, because a busy machine may begin later than that.
 */
const PRELUDE = `set -euo pipefail
curl() {
  local code=0
  if [ "\${1:-} \${2:-}" = '-sN -m' ]; then begin "\${@:4}"; else command curl -D "$UNDERSTUDY_HEADERS" "$@" || code=$?; fi
  echo "$(sed -n 's/^HTTP[^ ]* \\([0-9]*\\).*/\\1/p' "$UNDERSTUDY_HEADERS" | tail -1) $*" | tr '\\n' ' ' >>"$UNDERSTUDY_STATUSES"
  echo >>"$UNDERSTUDY_STATUSES"
  return $code
}
begin() {
  : >"$UNDERSTUDY_HEADERS"
  command curl -sN -D "$UNDERSTUDY_HEADERS" "$@" &
  until [ -s "$UNDERSTUDY_HEADERS" ] || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
  kill $! || true
  wait $! || true
}
npx() { shift; "${process.execPath}" "${PROGRAM}" "$@"; }
`;

function runScript(script, url, folder) {
  const [statuses, headers] = [join(folder, '.statuses'), join(folder, '.headers')];
  writeFileSync(statuses, '');
  const env = {
    ...process.env,
    URL: url,
    UNDERSTUDY_URL: url,
    UNDERSTUDY_STATUSES: statuses,
    UNDERSTUDY_HEADERS: headers,
  };
  const {
    status: code,
    stdout,
    stderr,
  } = spawnSync('bash', ['-s'], {
    cwd: folder,
    env,
    input: PRELUDE + script,
    encoding: 'utf8',
    // The documents of the API are among the answers.
    maxBuffer: 100_000_000,
  });
  const lines = readFileSync(statuses, 'utf8').trimEnd().split('\n').filter(Boolean);
  const calls = lines.map((line) => ({ status: Number(line.slice(0, 3)), call: line.slice(4) }));
  return { code, calls, output: `${stdout}\n${stderr}` };
}

function explain({ file, code, calls, output, expected }) {
  console.log(output);
  for (let index = 0; index < Math.max(calls.length, expected.length); index += 1) {
    const [call, wanted] = [calls[index], expected[index]];
    const mark = call?.status === wanted?.status ? ' ' : '!';
    const place = wanted ? `${file}:${wanted.line} expects ${wanted.status}` : `${file} expects no more`;
    console.log(`${mark} ${place}, came ${call?.status ?? 'nothing'}: ${call?.call ?? ''}`);
  }
  console.log(`bash ended with ${code}`);
}

function runTests() {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const args = [vitest, 'run', '-c', join(import.meta.dirname, 'vitest.config.ts')];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0;
}

const words = process.argv.slice(2);
const pages = pageFiles()
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .map(readPage)
  .map(({ file, blocks }) => ({ file, blocks: blocks.filter(isRun) }))
  .filter(({ blocks }) => blocks.length > 0);

let failed = 0;
for (const page of pages) if (!(await runPage(page))) failed += 1;
if (words.length === 0 && !runTests()) failed += 1;
if (failed > 0) process.exitCode = 1;
