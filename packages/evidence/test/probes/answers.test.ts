import { describe, expect, it } from 'vitest';
import { changeLines, ledgerChanges, readAnswerFile } from '../../src/probes/answers.ts';

const LEDGER = {
  'roles/one': { rule: 'One.' },
  'roles/two': { rule: 'Two.' },
  'roles/three': { rule: 'Three.' },
};

/** An answer file of an environment: the verdict of each rule. */
const fileOf = (service: string, verdicts: Record<string, string>, version = '1.0.0') =>
  readAnswerFile(
    'answers.json',
    JSON.stringify({
      format: 1,
      version,
      service,
      date: '2026-11-26',
      verdicts: Object.entries(verdicts).map(([rule, verdict]) => ({
        rule,
        verdict,
        differences: verdict === 'different' ? ['step 1: expected status 404, was 200'] : [],
        left: [],
      })),
    }),
  );

describe('the answers of several environments', () => {
  const files = [
    fileOf('https://a.example', { 'roles/two': 'different', 'roles/one': 'same', 'roles/three': 'not run' }),
    fileOf('https://b.example', { 'roles/one': 'same', 'roles/two': 'same', 'old/rule': 'same' }, '0.9.0'),
  ];

  it('prove a rule, or contradict each other', () => {
    const changes = ledgerChanges(files, LEDGER);
    expect(changes.map(({ rule, becomes }) => [rule, becomes])).toEqual([
      ['old/rule', 'no rule'],
      ['roles/one', 'compared'],
      ['roles/two', 'contradictory'],
    ]);
  });

  it('are told with the environment, the date and the version that asked', () => {
    const lines = ledgerChanges(files, LEDGER).map((change) => changeLines(change, '1.0.0'));
    expect(lines).toEqual([
      [
        'old/rule: this version of Understudy has no such rule',
        '  same: https://b.example on 2026-11-26, asked by Understudy 0.9.0',
      ],
      [
        'roles/one: unknown → compared',
        '  Understudy: One.',
        '  same: https://a.example on 2026-11-26',
        '  same: https://b.example on 2026-11-26, asked by Understudy 0.9.0',
      ],
      [
        'roles/two: unknown → contradictory',
        '  Understudy: Two.',
        '  same: https://b.example on 2026-11-26, asked by Understudy 0.9.0',
        '  different: https://a.example on 2026-11-26',
        '    step 1: expected status 404, was 200',
      ],
    ]);
  });

  it('count once if a file is given twice', () => {
    const [change] = ledgerChanges([files[0]!, files[0]!], LEDGER);
    expect(change).toMatchObject({ rule: 'roles/one', becomes: 'compared', same: { length: 1 } });
  });
});
