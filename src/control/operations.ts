import { clock } from './clock.ts';
import { connectedAccounts } from './connected-accounts.ts';
import { coverage, service } from './service.ts';
import { events } from './events.ts';
import { environments, snapshots } from './environments.ts';
import type { ControlOperations } from './handler.ts';
import { mail } from './mail.ts';
import { metrics } from './metrics.ts';
import { outgoing } from './outgoing.ts';
import { replicas } from './replicas.ts';
import { requests } from './requests.ts';
import { scenarios, scenarioFiles } from './scenarios.ts';
import { state } from './state.ts';
import { verify } from './verify.ts';
import { webhookDeliveries, webhookEndpoints, webhookEvents } from './webhooks.ts';

export const controlOperations: ControlOperations = {
  ...service,
  ...metrics,
  ...environments,
  ...replicas,
  ...snapshots,
  ...state,
  ...clock,
  ...scenarios,
  ...scenarioFiles,
  ...requests,
  ...verify,
  ...mail,
  ...outgoing,
  ...webhookEndpoints,
  ...webhookDeliveries,
  ...webhookEvents,
  ...events,
  ...connectedAccounts,
  ...coverage,
};
