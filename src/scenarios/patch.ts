import { jsonTypeIn, responseOf, type Operation, type Schema } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import { isObject, mergePatch } from '@understudy/text/json';
import { oneOf, suggest } from '@understudy/text/suggestion';
import { resolveTimes } from '@understudy/text/duration';
import { complainOfBreaches, type ContractBreach, schemaAt, unknownMembers } from './breaches.ts';
import { MAX_COUNTED, MAX_LISTED, type Complaints } from './complaints.ts';
import type { Members } from './edits.ts';
import { readPointer, valueAt, type Path } from './path.ts';
import type { RuleReply } from './call-facts.ts';
import type { Steps } from './steps.ts';

/** Changes to the service's own successful answer. */
export interface Patch {
  readonly members: Members;
  /** The patched answer may break the contract. */
  readonly outsideContract: boolean;
}

/** Applies the patch as a JSON merge patch to the body; undefined if the body is not an object. */
export function patched(
  { status, headers, body }: RuleReply,
  { members, outsideContract }: Patch,
  now: number,
): RuleReply | undefined {
  if (!isObject(body)) return undefined;
  return { status, headers, body: mergePatch(body, resolveTimes(members, now)), outsideContract };
}

/**
 * Complains of patches that break every answer: unknown members, wrong types, removed required members. The rest
 * depends on the answer and is checked at the call.
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

interface PatchToCheck {
  members: Members;
  /** The patch applied to an empty object. */
  value: unknown;
}

/** For webhooks, the payload is patched, so the payload takes the place of the answer. */
const PAYLOADS = new WeakMap<Operation, Operation>();

function payloadOf(message: Operation): Operation {
  const { content } = message.requestBody!;
  const payload = PAYLOADS.get(message) ?? { ...message, responses: { [message.status]: { content } } };
  PAYLOADS.set(message, payload);
  return payload;
}

function findBreaches(
  { members, value }: PatchToCheck,
  listened: Operation,
  contract: Contract,
): ContractBreach[] {
  const operation = listened.sent === 'webhook' ? payloadOf(listened) : listened;
  const noun = listened.sent === 'webhook' ? 'payload' : 'answer';
  const content = responseOf(operation, operation.status)?.content ?? {};
  const schema = content[jsonTypeIn(content) ?? '*/*']?.schema;
  if (!schema) {
    const reason = `the contract promises no JSON with status ${operation.status}: there is nothing to patch`;
    return [{ path: [], reason }];
  }
  return [
    ...findUnknown(members, schema, contract, noun),
    ...findMissing(members, [], schema, contract),
    ...findWrong(value, operation, schema, contract),
  ];
}

/** Only complaints that are shown need a hint. */
const findUnknown = (members: Members, schema: Schema, contract: Contract, noun: string): ContractBreach[] =>
  unknownMembers(members, schema, contract)
    .slice(0, MAX_COUNTED)
    .map(({ path, known }, index) => {
      const hint = index < MAX_LISTED ? suggest(String(path.at(-1)), known) : '';
      return { path, reason: `the ${noun} has no member ${path.at(-1)}${hint}`, part: 'key' };
    });

/** Required members that the patch removes. */
function findMissing(value: unknown, path: Path, schema: Schema, contract: Contract): ContractBreach[] {
  if (!isObject(value)) return [];
  const required = schemaAt(path, schema, contract).required ?? [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (member !== null) return findMissing(member, [...path, name], schema, contract);
    const reason = `the contract promises ${name}: it cannot be removed`;
    return required.includes(name) ? [{ path: [...path, name], reason }] : [];
  });
}

/**
 * The value is only a part of the answer: members can be missing only inside lists, which a patch replaces as a
 * whole.
 */
function findWrong(
  value: unknown,
  operation: Operation,
  schema: Schema,
  contract: Contract,
): ContractBreach[] {
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
