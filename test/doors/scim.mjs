import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { calledOperations } from '../sdk/called-operations.mjs';
import { installFromPyPi } from './support/install.mjs';
import { withService } from './support/service.mjs';

const TESTERS = ['scim2-cli==0.6.0', 'scim2-tester==0.5.2'];
const ORGANIZATION = '/api/v1/organizations/org_10000000000000001';

/** Runs scim2-tester against a new directory. It creates, changes and removes users and groups of its own. */
export async function door() {
  const programs = installFromPyPi(TESTERS);
  return withService(async ({ url, call }) => {
    const { directory } = await call('POST', `${ORGANIZATION}/directories`, { directory_type: 'SCIM' });
    const { plain_secret } = await call('POST', `${ORGANIZATION}/directories/${directory.id}/secrets`);
    const secret = ['--header', `Authorization: Bearer ${plain_secret}`];
    const report = await output(join(programs, 'scim2'), [
      '--url',
      directory.directory_endpoint,
      ...secret,
      'test',
      '--verbose',
    ]);
    return [...findingsIn(report), ...claimsBeyond(await calledOperations(`${url}/_control/v1`))];
  });
}

/** The tester ends with 1 if it found something. */
const output = (program, args) =>
  new Promise((resolve) => {
    execFile(program, args, { maxBuffer: 50_000_000 }, (_, stdout, stderr) => resolve(stdout + stderr));
  });

/** docs/fidelity.md says that the tester calls these operations. */
function claimsBeyond(called) {
  const file = join(import.meta.dirname, '../../evidence/programs/scim2-tester.yaml');
  const { operations } = parse(readFileSync(file, 'utf8'));
  const missing = operations.filter((id) => !called.includes(id));
  return missing.map(
    (id) => `evidence/programs/scim2-tester.yaml names ${id}, which the tester did not call`,
  );
}

/** Accepted findings, each with its reason. */
const KNOWN = [
  {
    says: /did not remove attribute 'active'/,
    reason: 'A user without `active` is active, and every answer says whether a user is.',
  },
];

/** A check begins with its outcome. Further lines are indented, or go on with the text before them. */
function findingsIn(report) {
  const checks = report.split(/^(?=(?:SUCCESS|ERROR|SKIPPED|DEVIATION|ACCEPTABLE|CRITICAL)\b)/m).slice(1);
  if (checks.length < 100) return [`the tester broke off: ${report.slice(-2000)}`];
  const findings = checks.filter((check) => !check.startsWith('SUCCESS'));
  const forgotten = KNOWN.filter(({ says }) => !findings.some((finding) => says.test(finding)));
  return [
    ...findings.filter((finding) => !KNOWN.some(({ says }) => says.test(finding))),
    ...forgotten.map(({ says }) => `nothing is like this any more: ${says}`),
  ];
}
