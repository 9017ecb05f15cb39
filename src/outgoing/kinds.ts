import type { ErrandCollection } from '../environments/errands.ts';
import type { RowBase } from '../world/seed.ts';
import type { Kind } from './kind.ts';
import { backChannel } from './kinds/back-channel.ts';
import { webhooks } from './kinds/webhooks.ts';

/** By the collection whose rows they are. Rows are what their table says, which the compiler can not see. */
export const KINDS: Readonly<Record<ErrandCollection, Kind<RowBase>>> = {
  outgoing_calls: backChannel as unknown as Kind<RowBase>,
  webhook_deliveries: webhooks as unknown as Kind<RowBase>,
};
