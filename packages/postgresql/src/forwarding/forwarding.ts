import type { Config } from '@understudy/core/config';
import type { Controls } from '@understudy/core/control/handler';
import type { CallForwarding } from '@understudy/core/control/call-forwarding';
import { serveControl } from '@understudy/core/control/serve';
import { uptime } from '@understudy/core/state/clock';
import type { Environments } from '@understudy/core/environment/environments';
import { NotKept } from '@understudy/core/store/not-kept';
import { ApiError } from '@understudy/core/contract/errors';
import { written, type Call, type WrittenReply } from '@understudy/core/pipeline/call';
import { organizationOf } from '@understudy/core/pipeline/find-environment';
import { serve } from '@understudy/core/pipeline/serve';
import type { CountedCall } from '@understudy/core/metrics/metrics';
import { NO_ANSWER } from '@understudy/core/scenarios/call-facts';
import type { Peers } from '@understudy/core/store/storage';
import type { RpcContext } from '@understudy/core/server/grpc/rpc';
import { AllReplicas } from './all-replicas.ts';
import { awakeDuring, OwnCalls } from './own-calls.ts';
import { headOf, type CallHead, FORWARDED_PATH, replyIn } from './frame.ts';
import { createEndpoint } from './endpoint.ts';
import { Broken, NotServed, OwnerClient } from './owner-client.ts';
import { notLookedUp, notReached, Owners, type Owner } from './owners.ts';
import { environmentFor, routeOf, type Search } from './search.ts';

/** How often a call is sent again, each time to an owner that was looked up again. */
const RETRIES = 2;

/** Nobody knows whether the call has happened. */
const CLOSED: WrittenReply = { ...written(NO_ANSWER), breakage: { kind: 'silence', reset: true } };

/** The process that serves a call; `address` is undefined for this one. */
interface Destination {
  /** Undefined: the call belongs to no environment. */
  environment: string | undefined;
  address?: string;
}

/** Serves each call where its environment is: in this process, or in the one that owns it. */
export class Forwarding implements CallForwarding {
  readonly #controls: Controls;
  readonly #peers: Peers;
  readonly #client: OwnerClient;
  readonly #ownCalls = new OwnCalls();
  readonly #owners: Owners;
  readonly #all: AllReplicas;
  /** Takes the calls that other processes forward; undefined: they cannot reach this one. */
  readonly endpoint: { path: string; take: ReturnType<typeof createEndpoint> } | undefined;

  constructor(controls: Controls, peers: Peers, { advertise, lease }: Pick<Config, 'advertise' | 'lease'>) {
    this.#controls = controls;
    this.#peers = peers;
    this.#owners = new Owners(this.#environments, peers);
    this.#client = new OwnerClient(peers.secret, lease);
    const serve = (call: Call) => this.#serve(call, { api: 'control', absent: new Set() });
    this.#all = new AllReplicas(controls, peers, this.#client, serve);
    const take = () => createEndpoint(this, controls, peers.secret);
    this.endpoint = advertise === undefined ? undefined : { path: FORWARDED_PATH, take: take() };
  }

  get #environments(): Environments {
    return this.#controls.simulator.environments;
  }

  close(): void {
    this.#client.close();
  }

  /**
   * Calls `giveUp`, which leaves the environments of this process to others, once their calls are answered, or after
   * `timeout` milliseconds. Later calls wait for that, and are then forwarded. Returns false if there is no other process.
   */
  async leave(giveUp: () => Promise<void>, timeout: number): Promise<boolean> {
    const others = await this.#peers.addresses().catch(() => []); // the database cannot be reached
    if (others.length === 0) return false;
    await this.#ownCalls.leave(giveUp, timeout);
    return true;
  }

  serve(call: Call): Promise<WrittenReply> {
    return this.#serve(call, { api: 'service', absent: new Set() });
  }

  async serveControl(call: Call): Promise<WrittenReply> {
    const route = routeOf(call, this.#controls.contract);
    const reply = await this.#serve(call, { api: 'control', absent: new Set() });
    if (route === undefined || reply.status >= 300) return reply;
    if (route.operation.base === 'Control_ListReplicaEnvironments')
      return (await this.#all.ofReplica(call, String(route.params['replica']))) ?? reply;
    const completing = this.#all.complete(call, route.operation, reply);
    return completing.catch((thrown: unknown) => this.#refused(call, thrown));
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
    // Nobody knows whether there is such an organization.
    if (status === 503 || status === NO_ANSWER.status) throw notLookedUp(externalId);
    return status === 200 && text ? text : undefined;
  }

  /** Serves a call that another process has forwarded. Throws NotServed if its environment is not here. */
  async serveForwarded(
    call: Call,
    { api, absent, environment, externalId }: CallHead,
  ): Promise<WrittenReply> {
    const search: Search = { api, absent: new Set(absent), environment, externalId };
    const name = environmentFor(call, search, this.#controls);
    if (this.#ownCalls.leaving) await this.#ownCalls.leaving;
    if (name !== undefined && !(await this.#owners.take(name))) throw new NotServed({ environment: name });
    return this.#serveHere(call, search, name);
  }

  async #serve(call: Call, search: Search): Promise<WrittenReply> {
    const startedAt = uptime();
    try {
      let silent: string | undefined;
      for (let attempt = 0; ; attempt += 1) {
        const { environment, address } = await this.#find(call, search);
        if (environment === undefined || address === undefined)
          return await this.#serveHere(call, search, environment);
        if (address === silent) throw notReached({ environment, address }, 'it does not answer');
        try {
          return await this.#send(call, search, { environment, address });
        } catch (thrown) {
          // The owner that was asked may find out that the call belongs to an environment that it does not have.
          const other = thrown instanceof NotServed ? thrown.environment : undefined;
          if (other !== undefined && other !== environment) search.environment = other;
          else this.#owners.forget(environment);
          if (!(thrown instanceof NotServed)) throw thrown;
          if (attempt === RETRIES) throw notReached({ environment, address }, thrown.reason);
          if (thrown.isSilent) silent = address;
        }
      }
    } catch (thrown) {
      const reply = thrown instanceof Broken ? CLOSED : this.#refused(call, thrown);
      this.#count(call, search, { status: reply.status, duration: uptime() - startedAt });
      return reply;
    }
  }

  /** Counts an answer that no environment has given. */
  #count(call: Call, { api }: Search, { status, duration }: Pick<CountedCall, 'status' | 'duration'>): void {
    const { metrics, contract, simulator } = this.#controls;
    const route = routeOf(call, api === 'control' ? contract : simulator.contract);
    metrics[api].add({ operation: route?.operation.base, protocol: call.protocol, status, duration });
  }

  #refused({ path }: Call, thrown: unknown): WrittenReply {
    const error = ApiError.from(NotKept.of(thrown));
    const { cause, headers } = error.parts;
    if (cause !== undefined) this.#controls.simulator.report(path, cause);
    return written({ status: error.status, headers: { ...headers }, body: error.envelope() });
  }

  #serveHere(call: Call, search: Search, name: string | undefined): Promise<WrittenReply> {
    const environment = name === undefined ? undefined : this.#environments.own(name);
    const answer = () => this.#answer(call, search, name);
    return this.#ownCalls.run(() => (environment ? awakeDuring(environment, call, answer) : answer()));
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
    const { api, absent, environment: named, externalId } = search;
    const head = headOf(call, { api, absent: [...absent], environment: named, externalId });
    const isStillOwner = async () => (await this.#peers.locate(environment))?.address === address;
    const { body, signal } = call;
    const sending = this.#client.send(address, { head, body, signal, isStillOwner });
    return replyIn(await this.#controls.metrics.forwards.track(sending, failureOf));
  }

  /** Looks up, one after the other, the environments that the search depends on. */
  async #find(call: Call, search: Search): Promise<Destination> {
    for (;;) {
      const environment = environmentFor(call, search, this.#controls);
      if (environment === undefined) return { environment };
      if (this.#ownCalls.leaving) await this.#ownCalls.leaving;
      if (this.#environments.has(environment)) return { environment };
      const address = await this.#owners.addressOf(environment);
      if (address !== undefined) return { environment, address };
      if (!this.#environments.has(environment)) search.absent.add(environment);
    }
  }
}

const failureOf = (thrown: unknown) => (thrown instanceof NotServed ? 'not_served' : 'broken');
