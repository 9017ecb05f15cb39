import { environmentClients } from './environment-clients.ts';
import { consents } from '../resources/consents.ts';
import { registration } from '../resources/registration.ts';
import { resourceClients } from '../resources/resource-clients.ts';
import { resources } from '../resources/resources.ts';
import { scopes } from '../resources/scopes.ts';
import { organizationClients } from './organization-clients.ts';

export const clientService = {
  ...environmentClients,
  ...organizationClients,
  ...resources,
  ...scopes,
  ...resourceClients,
  ...registration,
  ...consents,
};
