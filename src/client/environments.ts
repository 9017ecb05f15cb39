import { checkOptions, type NamesOf } from './options.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Environment, NewEnvironment } from './types.ts';

export const NEW_ENVIRONMENT: NamesOf<NewEnvironment> = {
  name: true,
  fixture: true,
  seed: true,
  clock: true,
  scenarios: true,
  persist: true,
  strict: true,
};

/** Creates, lists and drops isolated environments. */
export class EnvironmentsControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(options?: CallOptions): Promise<Environment[]> {
    return (await this.#transport.call('Control_ListEnvironments', {}, options)).environments;
  }

  /** Creates an environment. Without a name it gets one; without a fixture it starts as `default` did. */
  async create(wanted: NewEnvironment = {}, options?: CallOptions): Promise<Environment> {
    checkOptions('environments.create', wanted, NEW_ENVIRONMENT);
    const { scenarios, ...rest } = wanted;
    const body = {
      ...rest,
      ...(scenarios && { scenarios: scenarios as (string | Record<string, unknown>)[] }),
    };
    return this.#transport.call('Control_CreateEnvironment', { body }, options);
  }

  /** The names of the fixtures that an environment can start from. */
  async fixtures(options?: CallOptions): Promise<string[]> {
    return (await this.#transport.call('Control_ListFixtures', {}, options)).fixtures;
  }

  get(name: string, options?: CallOptions): Promise<Environment> {
    return this.#transport.call('Control_GetEnvironment', { path: { environment: name } }, options);
  }

  /** Copies an environment with its current state. */
  fork(from: string, name?: string, options?: CallOptions): Promise<Environment> {
    const given = { path: { environment: from }, body: { ...(name !== undefined && { name }) } };
    return this.#transport.call('Control_ForkEnvironment', given, options);
  }

  async drop(name: string, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_DeleteEnvironment', { path: { environment: name } }, options);
  }
}
