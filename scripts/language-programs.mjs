// Runs one program for each language: a file in a folder with the name of the language. A program ends with 0 when all
// is well, and with 77 when its toolchain is missing; the last line that it prints then says what is missing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const TOOLCHAIN_MISSING = 77;

/**
 * `files` are the names that a program may have. `wanted` are languages, all if there are none. `prepare` resolves to
 * the variables for one program and to a function that stops what it has started. If it resolves to `passed` too, that is
 * called before the stop with the language of a program that has passed; it may throw.
 */
export async function runPrograms({ folder, files, wanted, prepare }) {
  const programs = programsIn(folder, files);
  const unknown = wanted.filter((language) => !programs.has(language));
  if (unknown.length > 0) {
    console.error(`no program for ${unknown.join(', ')}; there are: ${[...programs.keys()].join(', ')}`);
    process.exit(2);
  }
  const outcomes = [];
  for (const language of wanted.length > 0 ? wanted : programs.keys()) {
    console.log(`\n== ${language}`);
    outcomes.push({ language, ...(await run(language, programs.get(language), prepare)) });
  }
  report(outcomes);
}

function programsIn(folder, files) {
  const languages = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const found = languages.map(({ name }) => [
    name,
    files.map((file) => join(folder, name, file)).find((file) => existsSync(file)),
  ]);
  return new Map(found.filter(([, program]) => program !== undefined));
}

async function run(language, program, prepare) {
  let prepared;
  try {
    prepared = await prepare();
    const [command, ...args] = program.endsWith('.mjs') ? [process.execPath, program] : [program];
    const env = { ...process.env, ...prepared.variables };
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      process.stdout.write(text);
      said = `${said}${text}`.slice(-2000);
    });
    const [code, signal] = await once(child, 'close');
    const outcome = outcomeOf(code, signal, said.trimEnd().split('\n').at(-1));
    if (outcome.outcome === 'passed') await prepared.passed?.(language);
    return outcome;
  } catch (thrown) {
    return { outcome: 'failed', why: thrown.message };
  } finally {
    await prepared?.stop();
  }
}

function outcomeOf(code, signal, lastLine) {
  if (code === 0) return { outcome: 'passed' };
  if (code === TOOLCHAIN_MISSING) return { outcome: 'skipped', why: lastLine || 'its toolchain is missing' };
  return { outcome: 'failed', why: signal ? `ended by ${signal}` : `ended with ${code}` };
}

function report(outcomes) {
  console.log();
  for (const { language, outcome, why } of outcomes)
    console.log(`${language}: ${outcome}${why ? ` (${why})` : ''}`);
  const count = (wanted) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
  if (count('failed') > 0) process.exitCode = 1;
}
