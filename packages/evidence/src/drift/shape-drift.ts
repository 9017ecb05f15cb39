import type { Operation, Schema } from '@understudy/core/contract/compiled';
import type { Contract } from '@understudy/core/contract/contract';
import { presenceOf, ROOT, type AnswerShape, type FieldShape, type Shape } from '../recordings/shape.ts';
import {
  emptyComparison,
  shown,
  verdictOf,
  type Comparison,
  type Difference,
  type Finding,
} from './difference.ts';
import type { Ledger } from './ledger.ts';
import { SchemaPlaces, type SchemaPlace } from './schema-place.ts';

/** What a schema's types are called in a shape. */
const TYPES: Readonly<Record<string, string>> = { integer: 'number' };

/**
 * Compares what a service has answered with what the contract promises, and so with what Understudy answers. A shape
 * shows what can be there. It does not show that anything must be there.
 */
export function shapeDrift(shape: Shape, contract: Contract, ledger: Ledger): Comparison {
  const places = new SchemaPlaces(contract);
  const result = emptyComparison();
  const tell = (subject: string, differences: readonly Difference[]) => {
    result.compared.push(subject);
    result.counts[verdictOf(differences, 0)] += 1;
    for (const difference of differences)
      result.findings.push({
        ...difference,
        subject,
        rules: ledger.rulesFor(subject, difference),
      } satisfies Finding);
  };
  for (const [name, answers] of Object.entries(shape.operations)) {
    const operation = contract.operation(name);
    for (const [status, answer] of Object.entries(answers))
      tell(name, operation ? answerDrift(operation, status, answer, places) : [unknownOperation(name)]);
  }
  for (const [type, event] of Object.entries(shape.events)) {
    const place = places.ofEvent(type);
    tell(
      type,
      place
        ? [...fieldsDrift(event, place, places, 'event'), ...missingIn(event, place, places, 'event')]
        : [unknownEvent(type)],
    );
  }
  return result;
}

const unknownOperation = (name: string): Difference => ({
  verdict: 'drift',
  kind: 'operation',
  severity: 'notable',
  at: name,
  message: 'Understudy does not have this operation',
});

const unknownEvent = (type: string): Difference => ({
  verdict: 'drift',
  kind: 'event added',
  severity: 'notable',
  at: type,
  message: `the service sends ${type}, and the contract has no such event`,
});

function answerDrift(
  operation: Operation,
  name: string,
  answer: AnswerShape,
  places: SchemaPlaces,
): Difference[] {
  const [, code] = /^grpc (\d+)$/.exec(name) ?? [];
  // Errors of gRPC are in trailers.
  if (code !== undefined && code !== '0') return [];
  const status = code === undefined ? Number(name) : operation.status;
  if (!operation.responses[status] && !operation.responses['default'])
    return [
      {
        verdict: 'drift',
        kind: 'status',
        severity: 'breaking',
        at: 'status',
        message: `status ${status} is none that the contract has: ${Object.keys(operation.responses).join(', ')}`,
        theirs: status,
      },
    ];
  const place = places.ofAnswer(operation, status);
  if (!place) return [];
  const found = fieldsDrift(answer, place, places, 'body');
  // The JSON of protobuf leaves out what is empty.
  return code === undefined ? [...found, ...missingIn(answer, place, places, 'body')] : found;
}

function fieldsDrift(
  answer: AnswerShape,
  root: SchemaPlace,
  places: SchemaPlaces,
  name: string,
): Difference[] {
  return Object.entries(answer.fields).flatMap(([path, field]) => {
    const at = path === ROOT ? name : path.startsWith('[') ? `${name}${path}` : `${name}.${path}`;
    const place = placeAt(root, stepsIn(path), places);
    return place === 'free' ? [] : fieldDrift(at, field, place);
  });
}

function fieldDrift(
  at: string,
  { present, types, values = [] }: FieldShape,
  place: SchemaPlace | undefined,
): Difference[] {
  const common = { verdict: 'drift' as const, at, ...(place && { contract: place.pointer }) };
  if (!place) {
    const message = `${at} was in ${present} of the answers, and the contract has no such field`;
    return [{ ...common, kind: 'field added', severity: 'cosmetic', message }];
  }
  const promised = typesOf(place.schema);
  const others = promised.length === 0 ? [] : types.filter((type) => !promised.includes(type));
  const allowed = place.schema.enum;
  const unknown = allowed ? values.filter((value) => !allowed.includes(value)) : [];
  return [
    ...others.map((type): Difference => ({
      ...common,
      kind: 'type',
      severity: 'breaking',
      message: `${at} was a ${type}, in the contract it is ${promised.join(' or ')}`,
      theirs: type,
    })),
    ...unknown.map((value): Difference => ({
      ...common,
      kind: 'enum value',
      severity: 'breaking',
      message: `${at} has the value ${shown(value)}, which the contract does not have`,
      theirs: value,
    })),
  ];
}

/** Members that the contract requires and that some answer did not have. */
function missingIn(answer: AnswerShape, root: SchemaPlace, places: SchemaPlaces, name: string): Difference[] {
  return Object.entries(answer.fields).flatMap(([path, { objects = 0 }]) => {
    const place = objects > 0 ? placeAt(root, stepsIn(path), places) : undefined;
    if (!place || place === 'free') return [];
    return (place.schema.required ?? []).flatMap((member): Difference[] => {
      const at = path === ROOT ? member : `${path}.${member}`;
      const there = presenceOf(answer, at).in;
      if (there >= objects) return [];
      const pointer = places.member(place, member)?.pointer;
      const message = `${name}.${at} was in ${there} of ${objects}, and the contract requires it`;
      return [
        {
          verdict: 'drift',
          kind: 'field missing',
          severity: 'breaking',
          at: `${name}.${at}`,
          message,
          ...(pointer !== undefined && { contract: pointer }),
        },
      ];
    });
  });
}

const STEP = /\[\]|\["(?:[^"\\]|\\.)*"\]|[^.[\]]+/g;

const stepsIn = (path: string): string[] => (path === ROOT ? [] : (path.match(STEP) ?? []));

/** `free`: inside JSON of which the contract says nothing. */
function placeAt(
  root: SchemaPlace,
  steps: readonly string[],
  places: SchemaPlaces,
): SchemaPlace | 'free' | undefined {
  let place = root;
  for (const step of steps) {
    if (isFree(place.schema)) return 'free';
    const name = step.startsWith('["') ? (JSON.parse(step.slice(1, -1)) as string) : step;
    const next = step === '[]' ? places.item(place) : places.member(place, name);
    if (!next) return undefined;
    place = next;
  }
  return place;
}

const isFree = ({ properties, items, type, additionalProperties, 'x-free-json': free }: Schema) =>
  free === true ||
  (properties === undefined &&
    items === undefined &&
    typeof additionalProperties !== 'object' &&
    (type === undefined || type === 'object'));

const typesOf = ({ type, enum: values }: Schema): string[] =>
  [type ?? []].flat().length > 0
    ? [type ?? []].flat().map((name) => TYPES[name] ?? name)
    : [...new Set((values ?? []).map((value) => typeof value))];
