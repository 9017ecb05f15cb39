import { Contract } from '../contract/contract.ts';
import { readContract } from '../documents.ts';
import { lintScenarios } from '../scenarios/lint.ts';
import { createScenarioCatalog } from '../scenarios/library.ts';
import { formatComplaint } from '../scenarios/complaints.ts';

/**
 * Prints one line for each valid file and one for each error or warning; warnings do not fail. Files may
 * include fixtures of `folders`.
 */
export function lintFiles(
  files: readonly string[],
  folders: readonly string[],
): { lines: string[]; good: boolean } {
  const contracts = {
    contract: new Contract(readContract('openapi')),
    control: new Contract(readContract('control')),
  };
  const { reader } = createScenarioCatalog(contracts, folders);
  const results = lintScenarios(files, reader);
  const lines = results.flatMap(({ file, complaints, more, warnings }) => {
    const lines = [...complaints.map(formatComplaint), ...more, ...warnings];
    return lines.length === 0 ? [`${file}: good`] : lines;
  });
  return { lines, good: results.every(({ complaints }) => complaints.length === 0) };
}
