// jest waits for no function that a global setup returns. The report is there all the same when jest has ended.
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { mkdtempSync, readFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const file = join(mkdtempSync(join(tmpdir(), 'understudy-jest-')), 'run.json');
const jest = require.resolve('jest/bin/jest');
const { status } = spawnSync(process.execPath, [jest, '--config', join(__dirname, 'jest.config.cjs')], {
  env: { ...process.env, UNDERSTUDY_REPORT: file },
  stdio: 'ignore',
});

assert.equal(status, 1);
assert.equal(JSON.parse(readFileSync(file, 'utf8')).total, 1);
