import type { Contract } from '../contract/contract.ts';
import type { Operation } from '../contract/compiled.ts';
import { checkCallValues } from './call-values.ts';
import type { Complaints } from './complaints.ts';
import type { Edit, Members } from './edits.ts';
import { readChanges, type WrittenChanges } from './changes.ts';
import { readDeliver, type Deliver, type WrittenDeliver } from './deliver.ts';
import { isSilent, readFault, type Fault, type WrittenFault } from './faults.ts';
import { checkPatch, type Patch } from './patch.ts';
import type { Path } from './path.ts';
import { checkReply } from './reply-check.ts';
import type { Reply } from './reply.ts';
import type { Steps } from './steps.ts';

/** What a rule does, as the format has it. */
export interface WrittenEffects {
  /** As `state`, or a list of such. */
  do?: WrittenChanges | WrittenChanges[];
  reply?: Reply;
  patch?: Members;
  /** Of the patched answer; a reply has one of its own. */
  contract?: 'violated';
  fault?: WrittenFault;
  /** Of webhooks. */
  deliver?: WrittenDeliver;
  /** The rules after it are asked too. */
  continue?: boolean;
}

/** What a rule does to a call that it applies to. */
export interface Effects {
  /** Made when the rule is applied, before anything else of it. */
  readonly edits: readonly Edit[];
  readonly reply: Reply | undefined;
  readonly patch: Patch | undefined;
  readonly fault: Fault | undefined;
  readonly deliver: Deliver | undefined;
  /** The texts in reply and patch that ask for values of the call. */
  readonly templates: { readonly reply: readonly Path[]; readonly patch: readonly Path[] };
}

/** The operations that a rule listens to, the contract that they keep, and the one that describes the rows. */
export interface Promised {
  readonly operations: readonly Operation[];
  readonly contract: Contract;
  readonly control: Contract;
}

/** Looks at those parts that have the right form; the result counts only when there is no complaint. */
export function* readEffects(
  written: WrittenEffects,
  at: Path,
  promised: Promised,
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
  { reply, patch, contract, fault, deliver, continue: goesOn }: WrittenEffects,
  isWebhook: boolean,
  at: Path,
  complaints: Complaints,
): void {
  const complain = (member: keyof WrittenEffects, message: string) =>
    complaints.add([...at, member], message, 'key');
  if (fault && isSilent(fault)) {
    const message = `nobody hears it: the fault is disconnect ${fault.disconnect}`;
    if (reply) complain('reply', message);
    if (patch) complain('patch', message);
  }
  // The payload of a webhook is patched, and the reply is what its receiver says.
  if (reply && patch && !isWebhook)
    complain('patch', 'it changes the answer of the service, and the reply takes its place');
  if (fault?.garbage && patch) complain('patch', 'nobody hears it: the fault is garbage');
  if (goesOn && (reply || patch || fault || deliver))
    complain('continue', 'the rule after it would speak as well: it goes with do alone');
  if (contract && !patch) complain('contract', 'goes with `patch`; a reply has one of its own');
}
