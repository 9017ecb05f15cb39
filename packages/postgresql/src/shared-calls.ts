import type { Environment } from '@understudy/core/environment/environment';
import type { SharedApis } from '@understudy/core/control/shared-apis';
import type { Controls } from '@understudy/core/control/handler';
import { serveControl } from '@understudy/core/control/serve';
import { ApiError } from '@understudy/core/contract/errors';
import { NotKept } from '@understudy/core/store/not-kept';
import { written, type Call, type WrittenReply } from '@understudy/core/pipeline/call';
import { organizationOf } from '@understudy/core/pipeline/find-environment';
import { serve } from '@understudy/core/pipeline/serve';
import { inMemoryDuring } from './held-environment.ts';
import { environmentFor, routeOf, type Api, type Search } from './search.ts';

/** These show or count calls of the journal. */
const OF_CALLS: ReadonlySet<string> = new Set([
  'Control_ListRequests',
  'Control_WaitForRequests',
  'Control_GetRequest',
  'Control_VerifyRequests',
  'Control_ExplainRow',
  'Control_GetTrace',
  'Control_ListRemedies',
  'Control_ApplyRemedy',
  'Control_GetCoverage',
]);

/** Brings the environment of each call to the state of the database before the call is served. */
export class SharedCalls implements SharedApis {
  readonly #controls: Controls;

  constructor(controls: Controls) {
    this.#controls = controls;
  }

  serve(call: Call): Promise<WrittenReply> {
    return this.#after(call, 'service', () => serve(call, this.#controls.simulator));
  }

  serveControl(call: Call): Promise<WrittenReply> {
    return this.#after(call, 'control', async () => {
      const { environments } = this.#controls.simulator;
      const operation = routeOf(call, this.#controls.contract)?.operation.base ?? '';
      if (operation === 'Control_ListEnvironments' || call.query['environments'] === 'all')
        await this.#bringAll();
      const name = OF_CALLS.has(operation)
        ? environmentFor(call, { api: 'control', absent: new Set() }, this.#controls)
        : undefined;
      if (name !== undefined) await environments.own(name)?.journal.readOn();
      return serveControl(call, this.#controls);
    });
  }

  async organizationOf(
    context: Pick<Call, 'headers' | 'baseUrl' | 'host' | 'address'>,
    externalId: string,
  ): Promise<string | undefined> {
    const call = {
      protocol: '',
      method: 'GET',
      path: '/',
      url: '/',
      query: {},
      body: undefined,
      size: 0,
      ...context,
    };
    await this.#bring(call, { api: 'service', absent: new Set() });
    return organizationOf(externalId, call, this.#controls.simulator);
  }

  async #after(call: Call, api: Api, answer: () => Promise<WrittenReply>): Promise<WrittenReply> {
    let environment: Environment | undefined;
    try {
      environment = await this.#bring(call, { api, absent: new Set() });
    } catch (thrown) {
      return this.#refused(call, thrown);
    }
    return environment ? inMemoryDuring(environment, call, answer) : answer();
  }

  /** Opens what the search for the environment needs, and reads on. Returns the environment of the call. */
  async #bring(call: Call, search: Search): Promise<Environment | undefined> {
    const { environments } = this.#controls.simulator;
    const current = new Set<string>();
    for (;;) {
      const name = environmentFor(call, search, this.#controls);
      if (name === undefined) return undefined;
      if (current.has(name)) return environments.own(name);
      if (environments.has(name)) {
        current.add(name);
        await environments
          .own(name)!
          .log.shared?.readOn()
          .catch((thrown: unknown) => {
            if (environments.has(name)) throw thrown;
            current.delete(name); // it was removed, or is read again from its snapshot
          });
      } else if (await environments.stored.isStored(name)) await environments.stored.wake(name);
      else {
        environments.stored.forget(name);
        search.absent.add(name);
      }
    }
  }

  /** Reads on in all environments that are in memory. */
  async #bringAll(): Promise<void> {
    const { environments } = this.#controls.simulator;
    await Promise.all(
      environments.list().map(async ({ name, log, journal }) => {
        await log.shared?.readOn().catch(() => environments.stored.forget(name));
        await journal.readNews()?.catch(() => {}); // what is missing was not counted here
      }),
    );
  }

  #refused({ path }: Call, thrown: unknown): WrittenReply {
    const error = ApiError.from(NotKept.of(thrown));
    const { cause, headers } = error.parts;
    if (cause !== undefined) this.#controls.simulator.report(path, cause);
    return written({ status: error.status, headers: { ...headers }, body: error.envelope() });
  }
}
