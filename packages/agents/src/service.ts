import { ControlClient, type EnvironmentControl } from '@understudy/client/control';
import type { AccessTokens } from './access-tokens.ts';
import type { ServiceAddress } from './service-address.ts';

/** The service that the tools use. */
export interface ServiceAccess {
  version: string;
  /** The environment of calls that name none. */
  environment: string;
  documents: { service(): object; control(): object };
  /** The tokens that calls for the agent use; they outlive one message. */
  tokens: AccessTokens;
  /** Finds the service. Throws an error that says what to do if nothing answers. */
  connect(): Promise<ServiceAddress>;
}

/** The context of one tool call. */
export class ToolContext {
  readonly access: ServiceAccess;
  readonly address: ServiceAddress;
  readonly control: ControlClient;
  readonly environment: EnvironmentControl;
  /** Aborts when the agent cancels the call. */
  readonly signal: AbortSignal;

  constructor(access: ServiceAccess, address: ServiceAddress, environment: string, signal: AbortSignal) {
    const { url, token, fetch } = address;
    this.access = access;
    this.address = address;
    this.control = new ControlClient(url, { token, fetch, signal });
    this.environment = this.control.environment(environment);
    this.signal = signal;
  }
}
