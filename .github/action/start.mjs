// Starts Understudy in the background, waits until it is ready, and sets variables and outputs for the next steps.
import { execFile, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';
import { promisify } from 'node:util';
import { annotate } from './annotation.mjs';

const TIMEOUT = 120_000;
/** npm's commands are scripts that only a shell can start on Windows. */
const shell = process.platform === 'win32';
const cwd = resolve(input('working-directory') || '.');
const folder = mkdtempSync(join(process.env.RUNNER_TEMP, 'understudy-'));
const [ready, log] = [join(folder, 'ready.json'), join(folder, 'log.txt')];

try {
  const [program, ...words] = command();
  const child = start(program, words);
  const bundles = resolve(cwd, input('bundles') || 'test-results');
  writeTo('GITHUB_STATE', { log, pid: child.pid, bundles, began: Math.floor(performance.timeOrigin) });
  const { url, client_id, client_secret } = await readyLine(child);
  writeTo('GITHUB_STATE', { started: true });
  const address = url.replace('127.0.0.1', 'localhost');
  const sdk = input('sdk') === '' ? [] : ['--sdk', input('sdk')];
  const env = ['env', '--url', address, '--format', 'github', '--ca-file', join(folder, 'ca.pem'), ...sdk];
  const { stdout } = await promisify(execFile)(program, [...words, ...env], { cwd, shell });
  appendFileSync(process.env.GITHUB_ENV, stdout);
  writeTo('GITHUB_ENV', { UNDERSTUDY_URL: address });
  writeTo('GITHUB_OUTPUT', { url: address, 'client-id': client_id, 'client-secret': client_secret });
  console.log(`Understudy is ready at ${address}`);
} catch (thrown) {
  annotate(thrown.stderr || thrown.message);
  process.exitCode = 1;
}

function input(name) {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
}

function writeTo(file, values) {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  appendFileSync(process.env[file], lines.join(''));
}

function command() {
  if (input('command') !== '') return input('command').split(/\s+/);
  const version = input('version');
  const isInstalled = existsSync(join(cwd, 'node_modules', 'understudy-server'));
  if (version === '' && isInstalled) return ['npx', '--no-install', 'understudy-server'];
  const own = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version;
  return ['npx', '--yes', `understudy-server@${version || own}`];
}

/** The log explains each call at the level `debug`. A flag of the user comes later and wins. */
function start(program, words) {
  const given = input('flags')
    .split('\n')
    .flatMap((line) => flagOf(line.trim()));
  const serve = [
    'serve',
    '--memory',
    '--json',
    '--port',
    input('port') || '8080',
    '--log-level',
    'debug',
    '--log-format',
    'text',
  ];
  const stdio = ['ignore', openSync(ready, 'a'), openSync(log, 'a')];
  const child = spawn(program, [...words, ...serve, ...given], { cwd, shell, stdio, detached: true });
  child.unref();
  return child;
}

/** `--scenario a b` is the flag and its value, which may have spaces. */
function flagOf(line) {
  const [, flag, value] = /^(\S+)(?:\s+(.*))?$/.exec(line) ?? [];
  return [flag, value].filter((word) => word !== undefined);
}

async function readyLine(child) {
  let failure;
  child.once('error', (error) => (failure = error));
  const end = performance.now() + TIMEOUT;
  while (performance.now() < end) {
    const line = readFileSync(ready, 'utf8')
      .split('\n')
      .find((each) => each.startsWith('{'));
    if (line !== undefined) return JSON.parse(line);
    if (failure) throw failure;
    if (child.exitCode !== null)
      throw new Error(readFileSync(log, 'utf8') || `it ended with ${child.exitCode}`);
    await passing(100);
  }
  throw new Error(`it was not ready after ${TIMEOUT / 1000} seconds\n${readFileSync(log, 'utf8')}`);
}
