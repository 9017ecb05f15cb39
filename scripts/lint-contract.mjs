// Checks OpenAPI documents against the rules of redocly.yaml, and every operation for its texts and examples.
// Usage: node scripts/lint-contract.mjs [FILE…]; without files, both documents of openapi/.
import { bundle, formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';
import { incompleteOperations } from './incomplete-operations.mjs';

const DOCUMENTS = ['openapi/openapi.yaml', 'openapi/control.yaml'];

const config = await loadConfig({ configPath: 'redocly.yaml' });
const given = process.argv.slice(2);
for (const ref of given.length > 0 ? given : DOCUMENTS) {
  const problems = await lint({ ref, config });
  const totals = getTotals(problems);
  if (problems.length > 0) formatProblems(problems, { format: 'codeframe', totals, version: '' });
  const incomplete = await incompleteIn(ref);
  for (const complaint of incomplete) console.error(`${ref}: ${complaint}`);
  const errors = totals.errors + incomplete.length;
  console.log(`${ref}: ${errors} errors, ${totals.warnings} warnings`);
  if (errors > 0) process.exitCode = 1;
}

/** A document that cannot be bundled has its complaints already. */
async function incompleteIn(ref) {
  const { bundle: bundled, problems } = await bundle({ ref, config });
  return problems.some(({ severity }) => severity === 'error') ? [] : incompleteOperations(bundled.parsed);
}
