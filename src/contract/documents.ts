import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CompiledContract, Operation, Response } from './compiled.ts';
import { PrecompiledChecks, type CheckIndex } from './precompiled-checks.ts';
import { PACKAGE_ROOT } from '@understudy/text/files';

/** The output of `npm run generate`. */
const generated = (name: string): unknown =>
  JSON.parse(readFileSync(join(PACKAGE_ROOT, 'dist', name), 'utf8'));

/** The generator writes equal parameters, responses and answers once and refers to them by number. */
type WrittenOperation = Omit<Operation, 'parameters' | 'responses'> & {
  parameters: number[];
  responses: number;
};
type WrittenContract = Omit<CompiledContract, 'operations' | 'messages' | 'schemas'> & {
  operations: WrittenOperation[];
  messages: WrittenOperation[];
  parameters: Operation['parameters'];
  responses: Response[];
  /** Numbers of responses by status. */
  answers: Record<string, number>[];
};

/** Schemas are read at first use, because only complaints and bodies need them. */
export function readContract(document: 'openapi' | 'control'): CompiledContract {
  const { parameters, responses, answers, ...written } = generated(
    `${document}.contract.json`,
  ) as WrittenContract;
  const declared = answers.map((numbers) => {
    const read: Operation['responses'] = {};
    for (const status in numbers) read[status] = responses[numbers[status]!]!;
    return read;
  });
  const read = (operation: WrittenOperation): Operation => ({
    ...operation,
    parameters: operation.parameters.map((number) => parameters[number]!),
    responses: declared[operation.responses]!,
  });
  let schemas: CompiledContract['schemas'] | undefined;
  return {
    ...written,
    operations: written.operations.map(read),
    messages: written.messages.map(read),
    get schemas() {
      return (schemas ??= generated(`${document}.schemas.json`) as CompiledContract['schemas']);
    },
  };
}

const opened = new Map<string, PrecompiledChecks>();

/**
 * The checks that the build has compiled; undefined without a build. The file is opened once a process and stays open, because
 * each function is read at its first use, also after another build has replaced the file.
 */
export function readChecks(document: 'openapi' | 'control'): PrecompiledChecks | undefined {
  const file = join(PACKAGE_ROOT, 'dist', `${document}.checks`);
  const known = opened.get(file);
  if (known || !existsSync(`${file}.json`)) return known;
  const checks = new PrecompiledChecks(generated(`${document}.checks.json`) as CheckIndex, `${file}.txt`);
  opened.set(file, checks);
  return checks;
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

/** The digests of the fixtures that the build has proven; none without a build. */
export function readProvenFixtures(): readonly string[] {
  const file = join(PACKAGE_ROOT, 'dist', 'fixtures.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [];
}

export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
