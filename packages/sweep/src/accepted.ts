import { existsSync } from 'node:fs';
import { FileError, readRegularFile } from '@understudy/text/files';
import { globTest } from '@understudy/text/glob';
import type { SweepReport } from './report/report.ts';
import type { CaseResult, TestVerdict } from './run-batch.ts';

/** The file that is read if the command names none. */
const USUAL_FILE = 'sweep.accept';

/** One line: `OPERATION FAILURE VERDICT # REASON`. Operation and failure may be globs; without a verdict, any is accepted. */
interface Acceptance {
  line: number;
  reason: string;
  accepts: (result: Pick<CaseResult, 'operation' | 'failure'>, verdict: Pick<TestVerdict, 'name'>) => boolean;
}

/** Throws FileError. `file`: undefined if the command names none. */
export function readAccepted(file: string | undefined): Acceptance[] {
  if (file === undefined && !existsSync(USUAL_FILE)) return [];
  const name = file ?? USUAL_FILE;
  return readRegularFile(name)
    .split('\n')
    .flatMap((text, index) => {
      const [written = '', ...reasons] = text.split('#');
      const [operation, failure, ...verdict] = written.trim().split(/\s+/).filter(Boolean);
      if (operation === undefined) return [];
      if (failure === undefined)
        throw new FileError(
          `${name}:${index + 1}`,
          `a line is OPERATION FAILURE VERDICT # REASON, such as *_CreateOrganization answer-lost wrote twice # no key yet`,
        );
      const [isOperation, isFailure] = [globTest(operation), globTest(failure)];
      return [
        {
          line: index + 1,
          reason: reasons.join('#').trim() || 'no reason is given',
          accepts: (result, { name: found }) =>
            isOperation(result.operation) &&
            isFailure(result.failure) &&
            (verdict.length === 0 || verdict.join(' ') === found),
        } satisfies Acceptance,
      ];
    });
}

/** The results, with the faults marked that a line accepts or the baseline has. */
export function marked(
  results: readonly CaseResult[],
  lines: readonly Acceptance[],
  baseline: SweepReport | undefined,
): CaseResult[] {
  const known = new Set(
    baseline?.results.flatMap(({ key, verdicts }) =>
      verdicts.filter(({ isFault }) => isFault).map((verdict) => faultKey(key, verdict)),
    ),
  );
  return results.map((result) => ({
    ...result,
    verdicts: result.verdicts.map(({ accepted: _, isKnown: __, ...verdict }) => {
      if (!verdict.isFault) return verdict;
      const line = lines.find(({ accepts }) => accepts(result, verdict));
      if (line) return { ...verdict, accepted: line.reason };
      return known.has(faultKey(result.key, verdict)) ? { ...verdict, isKnown: true as const } : verdict;
    }),
  }));
}

const faultKey = (key: string, { name, test = '' }: TestVerdict) => `${key} ${name} ${test}`;
