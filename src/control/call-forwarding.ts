import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call } from '../pipeline/call.ts';
import type { Apis } from './serve.ts';

/** Serves each call where its environment is: in this process, or in the one that owns it. */
export interface CallForwarding extends Apis {
  /** Takes the calls that other processes forward; undefined: they cannot reach this one. */
  readonly endpoint:
    | { readonly path: string; readonly take: (request: IncomingMessage, response: ServerResponse) => void }
    | undefined;
  /** The id of the organization with this external id, in the environment that headers and host name. */
  organizationOf(
    context: Pick<Call, 'headers' | 'baseUrl' | 'host' | 'address'>,
    externalId: string,
  ): Promise<string | undefined>;
  /**
   * Calls `giveUp`, which leaves the environments of this process to others, once their calls are answered, or after
   * `timeout` milliseconds. Later calls wait for that, and are then forwarded. Returns false if there is no other process.
   */
  leave(giveUp: () => Promise<void>, timeout: number): Promise<boolean>;
  close(): void;
}
