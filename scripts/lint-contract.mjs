// Checks the OpenAPI documents against the rules of redocly.yaml.
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';

const config = await loadConfig({ configPath: 'redocly.yaml' });
for (const ref of ['openapi/openapi.yaml', 'openapi/control.yaml']) {
  const problems = await lint({ ref, config });
  const totals = getTotals(problems);
  if (problems.length > 0) formatProblems(problems, { format: 'codeframe', totals, version: '' });
  console.log(`${ref}: ${totals.errors} errors, ${totals.warnings} warnings`);
  if (totals.errors > 0) process.exitCode = 1;
}
