import { ClockControl } from './clock.ts';
import { ConnectedAccountControl } from './connected-accounts.ts';
import { eventsOf, type ControlEvent } from './event-stream.ts';
import { MailControl } from './mail.ts';
import { OutgoingControl } from './outgoing.ts';
import { RequestControl } from './requests.ts';
import { ScenarioControl } from './scenarios.ts';
import { SnapshotControl } from './snapshots.ts';
import { StateControl } from './state.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Coverage } from './types.ts';
import { WebhookControl } from './webhooks.ts';

export type Part = 'state' | 'requests' | 'mail' | 'webhooks' | 'scenarios' | 'clock';

export interface EventOptions {
  /** Such as `request` or `mail`; all without it. */
  kinds?: readonly string[];
  signal?: AbortSignal;
}

/** The calls that work on one environment. */
export class WorldControl {
  readonly clock: ClockControl;
  readonly state: StateControl;
  readonly scenarios: ScenarioControl;
  readonly requests: RequestControl;
  readonly mail: MailControl;
  readonly outgoing: OutgoingControl;
  readonly webhooks: WebhookControl;
  readonly snapshots: SnapshotControl;
  readonly connectedAccounts: ConnectedAccountControl;
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
    this.clock = new ClockControl(transport);
    this.state = new StateControl(transport);
    this.scenarios = new ScenarioControl(transport);
    this.requests = new RequestControl(transport);
    this.mail = new MailControl(transport);
    this.outgoing = new OutgoingControl(transport);
    this.webhooks = new WebhookControl(transport);
    this.snapshots = new SnapshotControl(transport);
    this.connectedAccounts = new ConnectedAccountControl(transport);
  }

  /** Where the service is, such as `http://localhost:8080`. */
  get url(): string {
    return this.#transport.url;
  }

  /** Back to the fixture, wholly or in some parts. */
  async reset({ only, ...options }: CallOptions & { only?: Part | readonly Part[] } = {}): Promise<void> {
    const parts = only === undefined ? undefined : [only].flat().join(',');
    await this.#transport.call('Control_Reset', { query: { ...(parts && { only: parts }) } }, options);
  }

  /** What happens there, as it happens, until the loop is left, `signal` aborts or the environment ends. */
  async *events({ kinds, signal }: EventOptions = {}): AsyncGenerator<ControlEvent, void> {
    const query = kinds === undefined ? {} : { kinds: kinds.join(',') };
    yield* eventsOf(await this.#transport.open('Control_FollowEvents', { query }, { signal, timeout: 0 }));
  }

  /** What of the contract was seen here; with `all`, what every environment of the process has seen. */
  async coverage({ all, ...options }: CallOptions & { all?: boolean } = {}): Promise<Coverage> {
    const query = { ...counted(all), format: 'json' as const };
    return (await this.#transport.call('Control_GetCoverage', { query }, options)) as Coverage;
  }

  /** The same as a page of its own. */
  async coveragePage({ all, ...options }: CallOptions & { all?: boolean } = {}): Promise<string> {
    const query = { ...counted(all), format: 'html' as const };
    return (await this.#transport.call('Control_GetCoverage', { query }, options)) as string;
  }

  /** Counts from zero again. */
  async forgetCoverage({ all, ...options }: CallOptions & { all?: boolean } = {}): Promise<void> {
    await this.#transport.call('Control_ForgetCoverage', { query: counted(all) }, options);
  }
}

const counted = (all = false) => (all ? { environments: 'all' as const } : {});
