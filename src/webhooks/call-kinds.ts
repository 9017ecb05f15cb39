import type { CallCollection } from '../environment/due-calls.ts';
import type { RowBase } from '../environment/rows/positions.ts';
import type { CallKind } from './call-kind.ts';
import { backChannelLogoutCalls } from './back-channel-logout.ts';
import { webhookCalls } from './webhook-call.ts';

/** The kind of call for each collection. The compiler cannot see which rows a table holds, hence the casts. */
export const CALL_KINDS: Readonly<Record<CallCollection, CallKind<RowBase>>> = {
  outgoing_calls: backChannelLogoutCalls as unknown as CallKind<RowBase>,
  webhook_deliveries: webhookCalls as unknown as CallKind<RowBase>,
};
