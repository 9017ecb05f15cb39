import type { CallCollection } from '../environment/due-calls.ts';
import type { RowBase } from '../environment/rows/table-seed.ts';
import type { CallKind } from './call-kind.ts';
import { backChannel } from './back-channel-logout.ts';
import { webhooks } from './webhook-call.ts';

/** By the collection whose rows they are. Rows are what their table says, which the compiler can not see. */
export const CALL_KINDS: Readonly<Record<CallCollection, CallKind<RowBase>>> = {
  outgoing_calls: backChannel as unknown as CallKind<RowBase>,
  webhook_deliveries: webhooks as unknown as CallKind<RowBase>,
};
