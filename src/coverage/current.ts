import { createHash } from 'node:crypto';
import type { Operation, Parameter } from '../contract/compiled.ts';
import type { Coverage } from './coverage.ts';
import { EVENT_TYPES } from '../webhooks/events/event.ts';
import { runOf, reportOf } from './tally.ts';
import type { CoverageReport, CoveredOperation, Promised } from './report.ts';

interface Counted {
  name: string;
  coverage: Coverage;
}

interface Source {
  simulator: {
    contract: { operations: readonly Operation[] };
    environments: { coverage(): Coverage };
  };
  documents: { service(): object };
}

/** The report of one environment, or of all that the process has had. */
export function currentReport({ simulator, documents }: Source, environment?: Counted): CoverageReport {
  const { contract, environments } = simulator;
  let promised = known.get(contract.operations);
  if (!promised)
    known.set(contract.operations, (promised = promisedBy(contract.operations, documents.service())));
  const run = environment
    ? runOf(environment.coverage, environment.name)
    : runOf(environments.coverage(), '*');
  return reportOf(promised, [run]);
}

/** A contract never changes. */
const known = new WeakMap<readonly Operation[], Promised>();

/** The parts of the OpenAPI document that are read here. */
interface ContractDocument {
  info: { version: string };
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, { operationId?: string; tags?: string[]; summary?: string }>>;
}

/** What a contract promises: each operation with its paths, and the statuses that are expected of it. */
function promisedBy(operations: readonly Operation[], document: object): Promised {
  const { info, tags = [], paths } = document as ContractDocument;
  const texts = new Map(
    Object.values(paths)
      .flatMap(Object.values)
      .map((text: ContractDocument['paths'][string][string]) => [text.operationId, text]),
  );
  const present = bindingsByBase(operations).map((bindings) => {
    const { tags: [tag = 'Other'] = [], summary = '' } = texts.get(bindings[0]!.id) ?? {};
    return uncovered(bindings, tag, summary);
  });
  const promised = {
    tags: tags.map(({ name, description }) => ({ name, ...(description !== undefined && { description }) })),
    operations: present,
    failures: failuresOf(present),
    events: [...EVENT_TYPES],
  };
  return { contract: { version: info.version, digest: digestOf(promised) }, ...promised };
}

function bindingsByBase(operations: readonly Operation[]): Operation[][] {
  const found = new Map<string, Operation[]>();
  for (const operation of operations) {
    const bindings = found.get(operation.base);
    if (bindings) bindings.push(operation);
    else found.set(operation.base, [operation]);
  }
  return [...found.values()];
}

function uncovered(bindings: readonly Operation[], tag: string, summary: string): CoveredOperation {
  return {
    id: bindings[0]!.base,
    tag,
    summary,
    calls: 0,
    declared: inOrder(bindings.flatMap(statusesOf)),
    responses: inOrder(bindings.flatMap(expectedOf)).map((status) => ({ status, expected: true, seen: 0 })),
    bindings: bindings.map(({ id, method, path }) => ({ id, method, path, calls: 0 })),
  };
}

const statusesOf = ({ responses }: Operation) =>
  Object.keys(responses)
    .filter((status) => status !== 'default')
    .map(Number);

/** Statuses of the operation itself, without those that every operation shares. */
function expectedOf(operation: Operation): number[] {
  const { parameters, requestBody, open } = operation;
  // A page without input redirects at once, so both its 200 and its 302 are expected.
  const successes = statusesOf(operation).filter((status) => status < 400);
  const refusable = requestBody !== undefined || parameters.some(isRuled);
  const missable = parameters.some((parameter) => parameter.in === 'path');
  return open ? successes : [...successes, ...(refusable ? [400] : []), ...(missable ? [404] : [])];
}

/** A query parameter with a rule that a value can break. */
const isRuled = ({ in: place, required, schema }: Parameter) =>
  place === 'query' &&
  (required === true || Object.keys(schema).join() !== 'type' || schema.type !== 'string');

/** The error statuses that every ordinary operation declares. Only a scenario lets one answer 501. */
function failuresOf(operations: readonly CoveredOperation[]): number[] {
  const failures = operations
    .flatMap(({ declared }) => declared)
    .filter((status) => status >= 400 && status !== 501);
  return inOrder(failures);
}

const inOrder = (numbers: readonly number[]) => [...new Set(numbers)].toSorted((a, b) => a - b);

const digestOf = (promised: unknown) =>
  createHash('sha256').update(JSON.stringify(promised)).digest('hex').slice(0, 16);
