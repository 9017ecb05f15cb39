import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CompiledContract, Operation } from './contract/compiled.ts';
import { PrecompiledChecks } from './contract/precompiled-checks.ts';
import { ProvenFixtures } from './fixtures/fixture-files.ts';
import { PACKAGE_ROOT } from './files.ts';

/** The output of `npm run generate`. */
const generated = (name: string): unknown =>
  JSON.parse(readFileSync(join(PACKAGE_ROOT, 'dist', name), 'utf8'));

/** The generator writes equal responses once and refers to them by number. */
type WrittenOperation = Omit<Operation, 'responses'> & { responses: Record<string, number> };
type WrittenContract = Omit<CompiledContract, 'operations' | 'messages'> & {
  operations: WrittenOperation[];
  messages: WrittenOperation[];
  responses: Operation['responses'][string][];
};

export function readContract(document: 'openapi' | 'control'): CompiledContract {
  const { responses, ...contract } = generated(`${document}.contract.json`) as WrittenContract;
  for (const operation of [...contract.operations, ...contract.messages]) {
    const numbers: Record<string, unknown> = operation.responses;
    for (const status in numbers) numbers[status] = responses[numbers[status] as number];
  }
  return contract as unknown as CompiledContract;
}

/** The checks that the build has compiled; undefined without a build. */
export function readChecks(document: 'openapi' | 'control'): PrecompiledChecks | undefined {
  const file = join(PACKAGE_ROOT, 'dist', `${document}.checks.txt`);
  return existsSync(file) ? PrecompiledChecks.read(readFileSync(file, 'latin1')) : undefined;
}

/** The documents that are served, read on demand. */
export function createDocuments() {
  let service: object | undefined;
  let control: object | undefined;
  return {
    service: () => (service ??= generated('openapi.json') as object),
    control: () => (control ??= generated('control.json') as object),
  };
}

/** Without a build, no fixture is proven. */
export function readProvenFixtures(): ProvenFixtures {
  const file = join(PACKAGE_ROOT, 'dist', 'fixtures.json');
  return new ProvenFixtures(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : []);
}

export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
