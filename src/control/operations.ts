import { clock } from './clock.ts';
import { state } from './state.ts';
import { coverage, service } from './service.ts';
import { events } from './events.ts';
import { environments, snapshots } from './environment-handlers.ts';
import type { AddedControl, ControlOperations } from './handler.ts';
import { mail } from './mail.ts';
import { outgoing } from './outgoing.ts';
import { keys } from './keys.ts';
import { passkeys } from './passkeys.ts';
import { remedies } from './remedies.ts';
import { requests } from './requests.ts';
import { related } from './related.ts';
import { moments } from './moments.ts';
import { undo } from './undo.ts';
import { totp } from './totp.ts';
import { trace } from './trace.ts';
import { scenarios, scenarioFiles } from './scenarios.ts';
import { webhookDeliveries, webhookEndpoints, webhookEvents } from './webhooks.ts';

export const controlOperations: Omit<ControlOperations, AddedControl> = {
  ...service,
  ...environments,
  ...snapshots,
  ...state,
  ...undo,
  ...moments,
  ...related,
  ...clock,
  ...keys,
  ...scenarios,
  ...scenarioFiles,
  ...requests,
  ...remedies,
  ...trace,
  ...mail,
  ...outgoing,
  ...passkeys,
  ...totp,
  ...webhookEndpoints,
  ...webhookDeliveries,
  ...webhookEvents,
  ...events,
  ...coverage,
};
