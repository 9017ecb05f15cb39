import type { Contract } from '../contract/contract.ts';
import { checkCallValues } from './condition-check.ts';
import type { Complaints } from './complaints.ts';
import type { Edit, Members } from './edits.ts';
import { readChanges, type WrittenChanges } from './changes.ts';
import {
  readDeliver,
  type Deliver,
  type WrittenDeliver,
  isSilent,
  readFault,
  type Fault,
  type WrittenFault,
} from './faults.ts';
import { checkPatch, type Patch } from './patch.ts';
import type { Path } from './path.ts';
import { checkReply, type Reply } from './reply.ts';
import type { Steps } from './steps.ts';
import type { RuleContracts } from './target.ts';

/** A rule's effects as the scenario file has them. */
export interface WrittenEffects {
  /** Like `state`, or a list of such objects. */
  do?: WrittenChanges | WrittenChanges[];
  reply?: Reply;
  patch?: Members;
  /** For a patched answer; a reply has a `contract` of its own. */
  contract?: 'violated';
  fault?: WrittenFault;
  /** For webhooks. */
  deliver?: WrittenDeliver;
  /** The following rules are considered, too. */
  continue?: boolean;
}

/** What a rule does to a call. */
export interface Effects {
  /** Made before all other effects. */
  readonly edits: readonly Edit[];
  readonly reply: Reply | undefined;
  readonly patch: Patch | undefined;
  readonly fault: Fault | undefined;
  readonly deliver: Deliver | undefined;
  /** Paths of templates in reply and patch that refer to values of the call. */
  readonly templates: { readonly reply: readonly Path[]; readonly patch: readonly Path[] };
}

/** Checks the parts whose format is valid. The result counts only without complaints. */
export function* readEffects(
  written: WrittenEffects,
  at: Path,
  promised: RuleContracts,
  complaints: Complaints,
): Steps<Effects> {
  const { reply, patch, contract, fault, deliver } = written;
  const isSound = (member: keyof WrittenEffects) =>
    written[member] !== undefined && complaints.isClean([...at, member]);
  const isKept = contract !== 'violated';
  if (reply && isSound('reply')) yield* checkReply(reply, [...at, 'reply'], promised, complaints);
  if (patch && isKept && isSound('patch')) yield* checkPatch(patch, [...at, 'patch'], promised, complaints);
  const isWebhook = promised.operations.some(({ sent }) => sent === 'webhook');
  complainOfCombinations(written, isWebhook, at, complaints);
  if (promised.operations.length > 0) checkCallValues(written, at, promised, complaints);
  return {
    templates: {
      reply: complaints.templatesIn([...at, 'reply']),
      patch: complaints.templatesIn([...at, 'patch']),
    },
    edits: isSound('do') ? yield* readDo(written.do!, [...at, 'do'], promised.control, complaints) : [],
    reply,
    patch: patch && { members: patch, outsideContract: !isKept },
    fault: fault && isSound('fault') ? readFault(fault, [...at, 'fault'], complaints) : undefined,
    deliver: deliver && isSound('deliver') ? readDeliver(deliver, [...at, 'deliver'], complaints) : undefined,
  };
}

function* readDo(
  written: WrittenChanges | WrittenChanges[],
  at: Path,
  control: Contract,
  complaints: Complaints,
): Steps<Edit[]> {
  if (!Array.isArray(written)) return yield* readChanges(written, at, control, complaints);
  const edits: Edit[][] = [];
  for (const [index, changes] of written.entries())
    edits.push(yield* readChanges(changes, [...at, index], control, complaints));
  return edits.flat();
}

function complainOfCombinations(
  written: WrittenEffects,
  isWebhook: boolean,
  at: Path,
  complaints: Complaints,
): void {
  const { reply, patch, contract, fault, deliver, continue: continues } = written;
  const complain = (member: keyof WrittenEffects, message: string) =>
    complaints.add([...at, member], message, 'key');
  complainOfUnheard(written, isWebhook, complain);
  if (continues && (reply || patch || fault || deliver))
    complain(
      'continue',
      'goes only with do: a rule with another effect decides the answer, so that no later rule applies',
    );
  if (contract && !patch)
    complain('contract', 'goes only with patch; in a reply, write it among the members of the reply');
}

/** Complains of answers that no caller hears. */
function complainOfUnheard(
  { fault, reply, patch }: WrittenEffects,
  isWebhook: boolean,
  complain: (member: keyof WrittenEffects, message: string) => void,
): void {
  if (fault && isSilent(fault)) {
    const message = `has no effect: the fault is disconnect ${fault.disconnect}`;
    if (reply) complain('reply', message);
    if (patch) complain('patch', message);
  }
  // For webhooks, `patch` changes the payload and `reply` is the receiver's answer.
  if (reply && patch && !isWebhook)
    complain('patch', 'has no effect: the rule has a reply, which replaces the answer of the service');
  if (fault?.lose && reply) complain('reply', 'has no effect: the fault is lose, which answers 503');
  const ending = fault?.garbage ? 'garbage' : fault?.lose ? 'lose' : undefined;
  if (ending && patch) complain('patch', `has no effect: the fault is ${ending}`);
}
