import type { Call } from '../pipeline/call.ts';
import type { Apis } from './serve.ts';

/** The APIs of one of several processes, which bring the environment of each call to the state of the store first. */
export interface SharedApis extends Apis {
  /** The id of the organization with this external id, in the environment that headers and host name. */
  organizationOf(
    context: Pick<Call, 'headers' | 'baseUrl' | 'host' | 'address'>,
    externalId: string,
  ): Promise<string | undefined>;
}
