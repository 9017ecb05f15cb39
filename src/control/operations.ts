import { clock } from './clock.ts';
import { connectedAccounts } from './connected-accounts.ts';
import { coverage } from './coverage.ts';
import { events } from './events.ts';
import { environments } from './environments.ts';
import type { ControlOperations } from './handler.ts';
import { mail } from './mail.ts';
import { metrics } from './metrics.ts';
import { outgoing } from './outgoing.ts';
import { replicas } from './replicas.ts';
import { requests } from './requests.ts';
import { scenarios } from './scenarios.ts';
import { scenarioFiles } from './scenario-files.ts';
import { service } from './service.ts';
import { snapshots } from './snapshots.ts';
import { state } from './state.ts';
import { verify } from './verify.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';
import { webhookEvents } from './webhook-events.ts';

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
