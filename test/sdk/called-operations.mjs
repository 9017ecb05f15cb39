// Which operations an official SDK called with success. evidence/programs/ lists them for docs/fidelity.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

const FOLDER = join(import.meta.dirname, '..', '..', 'evidence', 'programs');

/** The programs open these with a client of their own, not with the SDK. */
const OPENED_OTHERWISE = new Set(['Hosted pages', 'Single sign-on', 'Later']);

const SDKS = {
  node: { name: 'Official SDK for Node', version: versionForNode },
  python: { name: 'Official SDK for Python', version: versionForPython },
};

/** Fails if evidence/programs/ claims a call that the program did not make. With `isRecording`, writes the file. */
export async function checkCalls(language, control, isRecording) {
  const sdk = SDKS[language];
  if (!sdk) return;
  const file = join(FOLDER, `sdk-${language}.yaml`);
  const operations = await calledOperations(control);
  if (isRecording) {
    const date = new Date().toISOString().slice(0, 10);
    writeFileSync(file, stringify({ name: sdk.name, version: sdk.version(), date, operations }));
    return;
  }
  const claimed = existsSync(file) ? parse(readFileSync(file, 'utf8')) : { operations: [] };
  const missing = claimed.operations.filter((id) => !operations.includes(id));
  if (missing.length > 0)
    throw new Error(`${file} names operations that the SDK did not call: ${missing.join(', ')}`);
  if (claimed.version !== sdk.version() || operations.length > claimed.operations.length)
    console.log(`${file} lacks what this run has shown: node test/sdk/run.mjs --record ${language}`);
}

export async function calledOperations(control) {
  const answer = await fetch(`${control}/coverage?environments=all`);
  if (!answer.ok) throw new Error(`${control}/coverage answered ${answer.status}`);
  const { operations } = await answer.json();
  return operations
    .filter(({ tag, responses }) => !OPENED_OTHERWISE.has(tag) && responses.some(isSeenSuccess))
    .map(({ id }) => id)
    .toSorted();
}

const isSeenSuccess = ({ status, seen }) => status < 400 && seen > 0;

function versionForNode() {
  const { version } = createRequire(import.meta.url)('@scalekit-sdk/node/package.json');
  return version;
}

function versionForPython() {
  const requirements = readFileSync(join(import.meta.dirname, 'python', 'requirements.txt'), 'utf8');
  return /^scalekit-sdk-python==(\S+)$/m.exec(requirements)[1];
}
