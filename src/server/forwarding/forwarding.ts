import type { Config } from '../../config.ts';
import type { Controls } from '../../control/handler.ts';
import { serveControl } from '../../control/serve.ts';
import { ApiError } from '../../errors.ts';
import { written, type Call, type WrittenReply } from '../../pipeline/call.ts';
import { organizationOf } from '../../pipeline/find-environment.ts';
import { serve } from '../../pipeline/serve.ts';
import { NO_ANSWER } from '../../scenarios/rule-outcome.ts';
import type { Peers } from '../../store/storage.ts';
import type { RpcContext } from '../grpc/rpc.ts';
import { awakeDuring } from './awake.ts';
import { headOf, type CallHead } from './call-frame.ts';
import { createEndpoint } from './endpoint.ts';
import { Broken, NotServed, OwnerClient } from './owner-client.ts';
import { replyIn } from './reply-frame.ts';
import { environmentFor, routeOf, type Search } from './search.ts';

/** The most owners that are remembered. */
const MOST_OWNERS = 100_000;
/** How often a call is sent to an owner that was looked up anew. */
const RETRIES = 2;
/** How often a call tries to wake an environment that others may put to rest or own. */
const WAKE_TRIES = 2;

/** The process that serves a call; `address` is undefined for this one. */
interface Destination {
  /** Undefined: the call belongs to no environment. */
  environment: string | undefined;
  address?: string;
}

interface EnvironmentList {
  environments: { name: string; resting?: boolean }[];
}

interface Owner {
  environment: string;
  address: string;
}

/** Serves each call where its environment is: in this process, or in the one that owns it. */
export class Forwarding {
  readonly #controls: Controls;
  readonly #peers: Peers;
  readonly #client: OwnerClient;
  readonly #owners = new Map<string, string>();
  /** Takes the calls that other processes forward; undefined: they cannot reach this one. */
  readonly endpoint: ReturnType<typeof createEndpoint> | undefined;

  constructor(controls: Controls, peers: Peers, { advertise, lease }: Pick<Config, 'advertise' | 'lease'>) {
    this.#controls = controls;
    this.#peers = peers;
    this.#client = new OwnerClient(peers.secret, lease);
    this.endpoint = advertise === undefined ? undefined : createEndpoint(this, controls, peers.secret);
  }

  close(): void {
    this.#client.close();
  }

  serve(call: Call): Promise<WrittenReply> {
    return this.#serve(call, { api: 'service', absent: new Set() });
  }

  async serveControl(call: Call): Promise<WrittenReply> {
    const reply = await this.#serve(call, { api: 'control', absent: new Set() });
    const isList = routeOf(call, this.#controls.contract)?.operation.base === 'Control_ListEnvironments';
    const isFirstPage = call.query['since'] === undefined;
    return isList && isFirstPage && reply.status === 200 ? this.#withOthers(call, reply) : reply;
  }

  /** The list of environments with those that are awake in the other processes. */
  async #withOthers(call: Call, reply: WrittenReply): Promise<WrittenReply> {
    const own = reply.body as EnvironmentList;
    const lists = [own.environments.filter(({ resting }) => !resting)];
    for (const address of await this.#peers.addresses()) {
      const head = { ...headOf(call, { api: 'control', absent: [] }), query: { limit: '0' } };
      const { signal } = call;
      const isStillOwner = async () => (await this.#peers.addresses()).includes(address);
      const sent = this.#client.send(address, { head, body: undefined, signal, isStillOwner });
      const others = await sent.then(replyIn, () => undefined); // a process that ends leaves its environments to others
      if (others?.status === 200) lists.push((others.body as EnvironmentList).environments);
    }
    const awake = lists.flat();
    const names = new Set(awake.map(({ name }) => name));
    const resting = own.environments.filter((each) => each.resting && !names.has(each.name));
    return written({ ...reply, body: { ...own, environments: [...awake, ...resting] } });
  }

  /** The id of the organization with this external id, in the environment that headers and host name. */
  async organizationOf(context: RpcContext, externalId: string): Promise<string | undefined> {
    const nameless = {
      protocol: '',
      method: 'GET',
      path: '/',
      url: '/',
      query: {},
      body: undefined,
      size: 0,
    };
    const search: Search = { api: 'service', absent: new Set(), externalId };
    const { status, text } = await this.#serve({ ...nameless, ...context }, search);
    return status === 200 && text ? text : undefined;
  }

  /** Serves a call that another process has forwarded. Throws NotServed if its environment is not here. */
  async serveForwarded(
    call: Call,
    { api, absent, environment, externalId }: CallHead,
  ): Promise<WrittenReply> {
    const search: Search = { api, absent: new Set(absent), environment, externalId };
    const name = environmentFor(call, search, this.#controls);
    if (name !== undefined && !this.#isHere(name)) {
      await this.#controls.simulator.environments.stored.settled(name);
      if (!this.#isHere(name)) throw new NotServed(name);
    }
    return this.#serveHere(call, search, name);
  }

  async #serve(call: Call, search: Search): Promise<WrittenReply> {
    try {
      for (let attempt = 0; ; attempt += 1) {
        const { environment, address } = await this.#find(call, search);
        if (environment === undefined || address === undefined)
          return await this.#serveHere(call, search, environment);
        try {
          return await this.#send(call, search, { environment, address });
        } catch (thrown) {
          if (!(thrown instanceof NotServed)) throw thrown;
          // The owner that was asked has found out more: the call belongs to an environment that it does not have.
          if (thrown.environment !== undefined && thrown.environment !== environment)
            search.environment = thrown.environment;
          else this.#owners.delete(environment);
          if (attempt === RETRIES) throw ownedElsewhere(environment);
        }
      }
    } catch (thrown) {
      if (thrown instanceof Broken)
        return { ...written(NO_ANSWER), breakage: { kind: 'silence', reset: true } };
      const error = ApiError.from(thrown);
      if (error.parts.cause !== undefined) this.#controls.simulator.report(call.path, error.parts.cause);
      return written({
        status: error.status,
        headers: { ...error.parts.headers },
        body: error.body('envelope'),
      });
    }
  }

  #serveHere(call: Call, search: Search, name: string | undefined): Promise<WrittenReply> {
    const environment = name === undefined ? undefined : this.#controls.simulator.environments.own(name);
    const answer = () => this.#answer(call, search, name);
    return environment ? awakeDuring(environment, call, answer) : answer();
  }

  async #answer(call: Call, search: Search, environment: string | undefined): Promise<WrittenReply> {
    const { api, absent, externalId } = search;
    if (api === 'control') return serveControl(call, this.#controls);
    // The search must not be made again. Only it can say that the environment is unknown.
    if (search.environment !== undefined || absent.size === 0) Object.assign(call, { environment });
    if (externalId !== undefined)
      return written({
        status: 200,
        headers: {},
        body: organizationOf(externalId, call, this.#controls.simulator) ?? '',
      });
    return serve(call, this.#controls.simulator);
  }

  async #send(call: Call, search: Search, { environment, address }: Owner): Promise<WrittenReply> {
    const { api, absent, environment: told, externalId } = search;
    const head = headOf(call, { api, absent: [...absent], environment: told, externalId });
    const isStillOwner = async () => (await this.#peers.locate(environment))?.address === address;
    const { body, signal } = call;
    return replyIn(await this.#client.send(address, { head, body, signal, isStillOwner }));
  }

  /** Looks up, one after the other, the environments that the search depends on. */
  async #find(call: Call, search: Search): Promise<Destination> {
    for (;;) {
      const environment = environmentFor(call, search, this.#controls);
      if (environment === undefined || this.#isHere(environment)) return { environment };
      const address = this.#owners.get(environment) ?? (await this.#ownerOf(environment));
      if (address !== undefined) return { environment, address };
      if (!this.#isHere(environment)) search.absent.add(environment);
    }
  }

  /**
   * The owner's address; undefined: no such environment is stored, or it is here now, because nobody owned it. Throws if
   * the owner cannot be reached.
   */
  async #ownerOf(name: string): Promise<string | undefined> {
    const { stored } = this.#controls.simulator.environments;
    for (let attempt = 0; attempt < WAKE_TRIES; attempt += 1) {
      const owner = await stored.locate(name);
      if (!owner) return undefined;
      if (!owner.isFree) return this.#remember(name, owner.address);
      await stored.wake(name);
      if (this.#isHere(name)) return undefined;
    }
    throw ownedElsewhere(name);
  }

  #remember(name: string, address: string | undefined): string {
    if (address === undefined) throw ownedElsewhere(name);
    if (this.#owners.size >= MOST_OWNERS) this.#owners.clear();
    this.#owners.set(name, address);
    return address;
  }

  #isHere(name: string): boolean {
    const { environments } = this.#controls.simulator;
    const own = environments.own(name);
    return own !== undefined && !own.log.isOver;
  }
}

const ownedElsewhere = (name: string) =>
  new ApiError(
    'unavailable',
    `environment ${name} belongs to another process, or is being taken over: try again`,
    { headers: { 'retry-after': '1' } },
  );
