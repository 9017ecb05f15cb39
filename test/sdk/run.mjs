// Proves that the service's official SDKs work, unmodified: runs the program of each language against a simulator of
// its own. A program is `run.mjs` or an executable `run.sh` in a folder here. It is told where the simulator is by
// UNDERSTUDY_URL, _TLS_URL, _CA (a file), _CLIENT_ID, _CLIENT_SECRET and _CONTROL, and ends with 0 when all is well and
// with 77 when its toolchain is not there; the last line that it prints then says what is missing.
//
//   node test/sdk/run.mjs            every language
//   node test/sdk/run.mjs go python  these
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startSimulator } from './simulator.mjs';

const HERE = import.meta.dirname;
const TOOLCHAIN_MISSING = 77;

const programs = new Map(
  readdirSync(HERE, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, commandOf(join(HERE, name))])
    .filter(([, command]) => command),
);
const wanted = process.argv.length > 2 ? process.argv.slice(2) : [...programs.keys()];
const unknown = wanted.filter((language) => !programs.has(language));
if (unknown.length > 0) {
  console.error(`no program for ${unknown.join(', ')}; there are: ${[...programs.keys()].join(', ')}`);
  process.exit(2);
}

const outcomes = [];
for (const language of wanted) {
  console.log(`\n== ${language}`);
  outcomes.push({ language, ...(await prove(programs.get(language))) });
}
report();

function commandOf(folder) {
  if (existsSync(join(folder, 'run.mjs'))) return [process.execPath, join(folder, 'run.mjs')];
  if (existsSync(join(folder, 'run.sh'))) return [join(folder, 'run.sh')];
  return undefined;
}

async function prove([program, ...args]) {
  let simulator;
  try {
    simulator = await startSimulator();
    const env = { ...process.env, ...simulator.variables };
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      process.stdout.write(text);
      said = `${said}${text}`.slice(-2000);
    });
    const [code, signal] = await once(child, 'close');
    return outcomeOf(code, signal, said.trimEnd().split('\n').at(-1));
  } catch (thrown) {
    return { outcome: 'failed', why: thrown.message };
  } finally {
    await simulator?.stop();
  }
}

function outcomeOf(code, signal, lastLine) {
  if (code === 0) return { outcome: 'passed' };
  if (code === TOOLCHAIN_MISSING)
    return { outcome: 'skipped', why: lastLine || 'its toolchain is not there' };
  return { outcome: 'failed', why: signal ? `ended by ${signal}` : `ended with ${code}` };
}

function report() {
  console.log();
  for (const { language, outcome, why } of outcomes)
    console.log(`${language}: ${outcome}${why ? ` (${why})` : ''}`);
  const count = (wanted) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
  if (count('failed') > 0) process.exitCode = 1;
}
