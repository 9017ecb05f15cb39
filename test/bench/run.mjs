// Runs one of the measurements: npm run bench [-- NAME [PART…]]
const HELP = `npm run bench                    the table of budgets
npm run bench -- replicas        one process and two that share PostgreSQL; parts: calls, take-over, restart
npm run bench -- scale           every list, search and get with 100 and with 20 000 rows; some of them: -- scale /dependents
npm run bench -- pull            a pull of 5000 organizations, and its lists compared; another number: -- pull 200
node test/bench/evil-inputs.mjs  how long each input keeps other calls waiting`;

const [name = 'budgets', ...parts] = process.argv.slice(2);

if (name === 'budgets') await import('./budgets.mjs');
else if (name === 'replicas') await (await import('./replicas/run.mjs')).compareReplicas(parts);
else if (name === 'pull') await (await import('./pull.mjs')).pullAndCompare(parts);
else if (name === 'scale') await import('./scale.mjs');
else {
  if (name !== 'help') console.error(`no measurement ${name}`);
  console.log(HELP);
  process.exitCode = name === 'help' ? 0 : 1;
}
