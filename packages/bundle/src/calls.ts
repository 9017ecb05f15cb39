import type { CallEnd, Entry } from '@understudy/core/journal/entry';
import {
  credentialsIn,
  secretsIn,
  viewProviderRecord,
  viewRecord,
} from '@understudy/core/journal/made-calls';
import { Redaction } from '@understudy/core/journal/redaction';
import { storedTextOf } from '@understudy/core/journal/stored-calls';
import { jsonIn, plainText } from '@understudy/text/json';
import type { BundledCall } from './format.ts';
import type { StandIns } from './stand-ins.ts';

/** Plain data that hides what the journal hides. The rows that the call wrote are in the commits. */
export function bundledCall(entry: Entry, standIns: StandIns, firstSurroundings: number): BundledCall {
  const { changes: _, shortPatch, ...stored } = JSON.parse(storedTextOf(entry)) as Record<string, unknown>;
  const { replyText, unread, end } = entry;
  const [reply, read] = [replyText, unread].map((text) => text && (jsonIn(text) ?? text));
  const redaction = redactionOf(entry, { reply, read }, standIns);
  const members = Object.entries(stored).map(([name, value]) => [name, redaction.value(value)]);
  return {
    ...(Object.fromEntries(members) as BundledCall),
    ...(shortPatch !== undefined && { shortPatch: entry.patch.map(redaction.patch) }),
    ...(replyText !== undefined && { replyText: plainText(redaction.value(reply)) }),
    ...(unread !== undefined && {
      unread: typeof read === 'string' ? redaction.unread(read) : plainText(redaction.value(read)),
    }),
    ...callsOf(entry, redaction),
    ...(entry.start && { start: moved(entry.start, firstSurroundings) }),
    ...(end && { end: moved(end, firstSurroundings) }),
  };
}

const moved = ({ position, surroundings }: CallEnd, first: number): CallEnd => ({
  position,
  surroundings: Math.max(0, surroundings - first),
});

function redactionOf(entry: Entry, { reply, read }: { reply: unknown; read: unknown }, standIns: StandIns) {
  const { headers, query, body = read, interceptors, providers, changes, patch } = entry;
  const messages = {
    request: { headers, query, body },
    response: { headers: entry.replyHeaders, body: reply },
  };
  const made = [secretsIn(interceptors), credentialsIn(providers)];
  return Redaction.withStandIns(standIns.standIn, messages, changes, patch, ...made);
}

/** The calls that this one made. */
const callsOf = ({ interceptors, providers }: Entry, redaction: Redaction) => ({
  ...(interceptors.length > 0 && {
    interceptors: interceptors.map((each) => ({
      ...each,
      keyHeader: undefined,
      shown: viewRecord(each, redaction),
    })),
  }),
  ...(providers.length > 0 && {
    providers: providers.map((each) => ({ ...each, shown: viewProviderRecord(each, redaction) })),
  }),
});

/** Notes the verifiers of sign-ins, whose challenges came in earlier calls. */
export function noteVerifiers(entries: readonly Entry[], standIns: StandIns): void {
  for (const { body } of entries) {
    const verifier = (body as Record<string, unknown> | undefined)?.['code_verifier'];
    if (typeof verifier === 'string') standIns.noteVerifier(verifier);
  }
}
