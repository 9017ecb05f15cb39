// Runs testers that nobody here wrote against doors of the built service: `npm run test:doors -- scim` runs one door.
// A door is a file of this folder. It exports `door`, which installs its testers, starts the service, runs, and returns
// a line for each finding that nothing explains.
import { readdirSync } from 'node:fs';
import { NotInstallable } from './support/install.mjs';

const HERE = import.meta.dirname;
const doors = readdirSync(HERE)
  .filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
  .map((file) => file.slice(0, -'.mjs'.length));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !doors.includes(name));

if (unknown.length > 0) {
  console.error(`there is no door ${unknown.join(', ')}; there are ${doors.join(', ')}`);
  process.exit(1);
}
for (const name of wanted.length > 0 ? wanted : doors) await run(name);

async function run(name) {
  const { door } = await import(`./${name}.mjs`);
  try {
    const findings = await door();
    for (const finding of findings) console.error(`${name}: ${finding}`);
    console.log(`${name}: ${findings.length} findings without an explanation`);
    if (findings.length > 0) process.exitCode = 1;
  } catch (thrown) {
    if (!(thrown instanceof NotInstallable)) throw thrown;
    console.log(`skipped: ${name}: ${thrown.message}`);
  }
}
