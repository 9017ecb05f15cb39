import { Contract } from '@understudy/core/contract/contract';
import { readChecks, readContract } from '@understudy/core/contract/documents';
import type { Terminal } from '@understudy/core/parts';
import { readBundleFile } from '../read-file.ts';
import { replayBundle, type ReplayDifference, type ReplayResult } from './replay.ts';

/** Prints whether the answers are equal, or the first difference. */
export async function replayFile(
  file: string,
  asJson: boolean,
  { out, fail }: Pick<Terminal, 'out' | 'fail'>,
): Promise<void> {
  const control = new Contract(
    () => readContract('control'),
    () => readChecks('control'),
  );
  const result = await replayBundle(await readBundleFile(file, control));
  out(asJson ? `${JSON.stringify(result)}\n` : `${textOf(result)}\n`);
  if (result.difference) fail();
}

function textOf({ compared, skipped, difference }: ReplayResult): string {
  const calls = compared === 1 ? '1 answer is' : `${compared} answers are`;
  return [
    ...(difference ? linesOf(difference) : [`equal: ${calls} the same`]),
    ...(skipped.length > 0 ? ['not made again:'] : []),
    ...skipped.map(({ id, reason }) => `  ${id}: ${reason}`),
  ].join('\n');
}

const linesOf = ({ call, place, was, is, whyWas, whyIs }: ReplayDifference): string[] => [
  `${call.id} ${call.method} ${call.path} differs in ${place}`,
  `  then ${written(was)}; ${whyWas}`,
  `  now  ${written(is)}; ${whyIs}`,
];

const LONGEST = 300;

function written(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
