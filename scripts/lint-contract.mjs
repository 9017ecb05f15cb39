// Checks OpenAPI documents against the rules of redocly.yaml, every operation for its texts and examples, every field
// whose name sounds like a secret for its mark, and the files for operations that no document lists.
// Usage: node scripts/lint-contract.mjs [FILE…]; without files, both documents of openapi/.
import { bundle, formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';
import { forgottenOperations } from './forgotten-operations.mjs';
import { incompleteOperations } from './incomplete-operations.mjs';
import { unmarkedFields } from './secret-fields.mjs';

const DOCUMENTS = ['openapi/openapi.yaml', 'openapi/control.yaml'];

const config = await loadConfig({ configPath: 'redocly.yaml' });
const given = process.argv.slice(2);
const roots = given.length > 0 ? given : DOCUMENTS;
const bundles = [];
for (const ref of roots) {
  const problems = await lint({ ref, config });
  const totals = getTotals(problems);
  if (problems.length > 0) formatProblems(problems, { format: 'codeframe', totals, version: '' });
  const complaints = await complaintsAbout(ref);
  for (const complaint of complaints) console.error(`${ref}: ${complaint}`);
  const errors = totals.errors + complaints.length;
  console.log(`${ref}: ${errors} errors, ${totals.warnings} warnings`);
  if (errors > 0) process.exitCode = 1;
}
if (bundles.length === roots.length)
  for (const complaint of forgottenOperations(roots, bundles)) {
    console.error(complaint);
    process.exitCode = 1;
  }

/** A document that cannot be bundled already has errors. */
async function complaintsAbout(ref) {
  const { bundle: bundled, problems } = await bundle({ ref, config });
  if (problems.some(({ severity }) => severity === 'error')) return [];
  bundles.push(bundled.parsed);
  return [...incompleteOperations(bundled.parsed), ...unmarkedFields(bundled.parsed)];
}
