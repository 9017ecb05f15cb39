import { responseOf, type Operation, type Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { isObject } from '../text/json.ts';
import { oneOf, suggest } from '../text/suggestion.ts';
import { complainOfBreaches, type Breach } from './breaches.ts';
import { ENOUGH, MOST_TOLD, type Complaints } from './complaints.ts';
import type { Members } from './edits.ts';
import { mergePatch, resolveTimes } from './matching.ts';
import { schemaAt, unknownMembers } from './members.ts';
import { readPointer, type Path } from './path.ts';
import type { RuleReply } from './script.ts';
import type { Steps } from './steps.ts';

/** What is changed of the service's own answer when it succeeds. */
export interface Patch {
  readonly members: Members;
  /** The scenario said that the answer may then break the contract. */
  readonly outsideContract: boolean;
}

/** The answer with a JSON merge patch over its body; undefined where there is no object to patch. */
export function patched(
  { status, headers, body }: RuleReply,
  { members, outsideContract }: Patch,
  now: number,
): RuleReply | undefined {
  if (!isObject(body)) return undefined;
  return { status, headers, body: mergePatch(body, resolveTimes(members, now)), outsideContract };
}

/**
 * Complains of what no answer can have after the patch: unknown members, values of another type, required members
 * taken away. What depends on the answer is seen when the call is made.
 */
export function checkPatch(
  members: Members,
  at: Path,
  { operations, contract }: { operations: readonly Operation[]; contract: Contract },
  complaints: Complaints,
): Steps<void> {
  const value = resolveTimes(mergePatch({}, members), 0);
  const find = (operation: Operation) => findBreaches({ members, value }, operation, contract);
  return complainOfBreaches(operations, find, at, complaints);
}

interface Patched {
  members: Members;
  /** What becomes of a body that has nothing in the same places. */
  value: unknown;
}

/** Of a webhook, it is what is sent that is patched: it is looked at as an answer is. */
const PAYLOADS = new WeakMap<Operation, Operation>();

export function payloadOf(message: Operation): Operation {
  const { content } = message.requestBody!;
  const payload = PAYLOADS.get(message) ?? { ...message, responses: { [message.status]: { content } } };
  PAYLOADS.set(message, payload);
  return payload;
}

function findBreaches({ members, value }: Patched, listened: Operation, contract: Contract): Breach[] {
  const operation = listened.sent === 'webhook' ? payloadOf(listened) : listened;
  const noun = listened.sent === 'webhook' ? 'payload' : 'answer';
  const content = responseOf(operation, operation.status)?.content ?? {};
  const schema = (content['application/json'] ?? content['*/*'])?.schema;
  if (!schema) {
    const reason = `the contract promises no JSON with status ${operation.status}: there is nothing to patch`;
    return [{ path: [], reason }];
  }
  return [
    ...findStrangers(members, schema, contract, noun),
    ...findMissing(members, [], schema, contract),
    ...findWrong(value, operation, schema, contract),
  ];
}

/** More than are told have no hint. */
const findStrangers = (members: Members, schema: Schema, contract: Contract, noun: string): Breach[] =>
  unknownMembers(members, schema, contract)
    .slice(0, ENOUGH)
    .map(({ path, known }, index) => {
      const hint = index < MOST_TOLD ? suggest(String(path.at(-1)), known) : '';
      return { path, reason: `the ${noun} has no member ${path.at(-1)}${hint}`, part: 'key' };
    });

/** Members that the patch takes away, and that are promised. */
function findMissing(value: unknown, path: Path, schema: Schema, contract: Contract): Breach[] {
  if (!isObject(value)) return [];
  const required = schemaAt(path, schema, contract).required ?? [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (member !== null) return findMissing(member, [...path, name], schema, contract);
    const reason = `the contract promises ${name}: it can not be taken away`;
    return required.includes(name) ? [{ path: [...path, name], reason }] : [];
  });
}

/** A part of the answer alone: only in a list, which is replaced as a whole, can anything be missing from it. */
function findWrong(value: unknown, operation: Operation, schema: Schema, contract: Contract): Breach[] {
  const broken = contract.responseComplaints(operation, operation.status, value);
  return broken.flatMap(({ path: pointer, message, errorCode }) => {
    const keyword = errorCode?.split('.')[0];
    const path = readPointer(pointer, { response: value }).slice(1);
    const isWhole = path.some((step) => typeof step === 'number');
    if (keyword === 'additionalProperties' || (keyword === 'required' && !isWhole)) return [];
    if (keyword === 'required')
      return [{ path: path.slice(0, -1), reason: `${String(path.at(-1))} is missing` }];
    const allowed = schemaAt(path, schema, contract).enum;
    const reason = keyword === 'enum' && allowed ? oneOf(allowed, valueAt(path, value)) : message;
    return [{ path, reason }];
  });
}

const valueAt = (path: Path, value: unknown): unknown =>
  path.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)[step], value);
