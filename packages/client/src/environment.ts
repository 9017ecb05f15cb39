import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Duration, UncheckedName } from '@understudy/core/contract/name-patterns';
import { IdpControl, type IdpOptions, type IdpProvider } from './idp-control.ts';
import { PasskeyControl } from './passkeys.ts';
import { checkOptions, type NamesOf, type Transport, CALL } from './transport.ts';
import {
  durationText,
  type CallOptions,
  type Clock,
  type ClockSetting,
  type SigningKeys,
  type Timeline,
  type Idp,
  type AccountAuthorization,
  type BundledTest,
  type AuthorizedAccount,
  type Coverage,
} from './types.ts';
import type { ActivityKind } from '@understudy/core/contract/names.gen';
import { MailControl, OutgoingControl, RequestControl } from './item-lists.ts';
import { ScenarioControl } from './scenarios.ts';
import { SnapshotControl, StateControl } from './state.ts';
import { TotpControl } from './totp.ts';
import { WebhookControl } from './webhooks.ts';

export class ClockControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(options?: CallOptions): Promise<Clock> {
    return this.#transport.call('Control_GetClock', {}, options);
  }

  /** What is due and what expired: invitations, sessions, tokens, codes, links, retries. */
  timeline(options: TimelineOptions = {}): Promise<Timeline> {
    const { limit, ...rest } = options;
    return this.#transport.call('Control_GetTimeline', { query: { limit } }, rest);
  }

  /**
   * Takes a setting such as `{ mode: 'offset', offset: '-14d' }`. Resolves when everything that is now due
   * has happened.
   */
  async set(setting: ClockSetting, options?: CallOptions): Promise<Clock> {
    checkOptions('clock.set', setting, SETTING);
    return this.#transport.call('Control_SetClock', { body: setting }, options);
  }

  /** Stops the clock at an instant, or at the current time. */
  freeze(at?: string | Date, options?: CallOptions): Promise<Clock> {
    return this.set({ mode: 'frozen', at: at instanceof Date ? at.toISOString() : at }, options);
  }

  /** Moves the clock by a duration such as `25h`. Resolves when everything that is now due has happened. */
  advance(by: Duration, options?: CallOptions): Promise<Clock> {
    return this.#transport.call('Control_AdvanceClock', { body: { by: durationText(by) } }, options);
  }
}

export interface TimelineOptions extends CallOptions {
  /** The most items of `due`, and the most of `expired`. Default: 100. */
  limit?: number | undefined;
}

const SETTING: NamesOf<ClockSetting> = { mode: true, at: true, offset: true };

/** Simulates the end users of connected accounts. */
export class ConnectedAccountControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Does what the end user would do on the third party's pages: grants access, or does what `authorization`
   * says. If the application confirms users, `redirect` is where the browser would go; `userVerify.confirm`
   * confirms at once.
   */
  async authorize(
    id: string,
    wanted: AccountAuthorization = {},
    options?: CallOptions,
  ): Promise<AuthorizedAccount> {
    checkOptions('connectedAccounts.authorize', wanted, AUTHORIZATION);
    const { userVerify: user_verify, ...rest } = wanted;
    const body = { ...rest, user_verify };
    return this.#transport.call('Control_AuthorizeAccount', { path: { id }, body }, options);
  }
}

const AUTHORIZATION: NamesOf<AccountAuthorization> = {
  outcome: true,
  error: true,
  credentials: true,
  userVerify: true,
};

export type Part = 'state' | 'requests' | 'mail' | 'webhooks' | 'scenarios' | 'clock';

export interface ResetOptions extends CallOptions {
  /** The parts to reset; everything if omitted. */
  only?: Part | readonly Part[] | undefined;
}

export interface KeyRotation extends CallOptions {
  /** How long `/keys` lists the former keys; 0 removes them at once. */
  overlap?: Duration | undefined;
}

export interface CoverageOptions extends CallOptions {
  /** Includes every environment of the process. */
  all?: boolean | undefined;
}

export interface EventOptions {
  /** Everything if omitted. */
  kinds?: readonly (ActivityKind | UncheckedName)[] | undefined;
  /** Includes every environment of the process; `data.environment` names the one of the event. */
  all?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Called when the feed is open: everything that happens from then on is part of it. */
  onOpen?: () => void | undefined;
}

/** The control calls for one environment. */
export class EnvironmentHandle {
  readonly clock: ClockControl;
  readonly state: StateControl;
  readonly scenarios: ScenarioControl;
  readonly requests: RequestControl;
  readonly mail: MailControl;
  readonly outgoing: OutgoingControl;
  readonly webhooks: WebhookControl;
  readonly snapshots: SnapshotControl;
  readonly connectedAccounts: ConnectedAccountControl;
  readonly passkeys: PasskeyControl;
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
    this.passkeys = new PasskeyControl(transport);
  }

  /** The authenticator app of a user, by id or e-mail address. */
  totp(user: string): TotpControl {
    return new TotpControl(this.#transport, user);
  }

  /**
   * An identity provider that pushes people and groups to a directory. Without a provider, it is the one of the directory
   * that has the person.
   */
  idp(provider?: IdpProvider, options: IdpOptions = {}): IdpControl {
    return new IdpControl(this.#transport, provider, options);
  }

  /** The identity providers that have pushed, oldest first. */
  async idps(options?: CallOptions): Promise<Idp[]> {
    return (await this.#transport.call('Control_ListIdps', {}, options)).providers;
  }

  /**
   * One compressed file with everything of the environment up to now, without secrets. `understudy open` shows it on any
   * machine, and `understudy replay` makes its calls again. `test`: the test for which it is made.
   */
  async bundle(test?: BundledTest, options?: CallOptions): Promise<Uint8Array> {
    const answer = test
      ? this.#transport.open('Control_MakeBundle', { body: test }, options)
      : this.#transport.open('Control_GetBundle', {}, options);
    return new Uint8Array(await (await answer).arrayBuffer());
  }

  /**
   * Signs new tokens with a new key. `/keys` lists the former ones until `overlap` (24h) is over on the environment's clock;
   * then their tokens are refused.
   */
  rotateKeys(wanted: KeyRotation = {}): Promise<SigningKeys> {
    checkOptions('rotateKeys', wanted, ROTATION);
    const { overlap, ...options } = wanted;
    const body = overlap === undefined ? {} : { overlap: durationText(overlap) };
    return this.#transport.call('Control_RotateKeys', { body }, options);
  }

  /** The address of the service, such as `http://localhost:8080`. */
  get url(): string {
    return this.#transport.url;
  }

  /** Resets the environment to its fixture, wholly or in parts. */
  async reset(wanted: ResetOptions = {}): Promise<void> {
    checkOptions('reset', wanted, RESET);
    const { only, ...options } = wanted;
    const parts = only === undefined ? undefined : [only].flat().join(',') || undefined;
    await this.#transport.call('Control_Reset', { query: { only: parts } }, options);
  }

  /**
   * Streams what happens in the environment, until the loop ends, `signal` aborts or the environment is
   * dropped.
   */
  async *events(wanted: EventOptions = {}): AsyncGenerator<ControlEvent, void> {
    checkOptions('events', wanted, EVENTS);
    const { kinds, all, signal, onOpen } = wanted;
    const query = { kinds: kinds?.join(','), environments: all ? ('all' as const) : undefined };
    const feed = await this.#transport.open('Control_FollowEvents', { query }, { signal, timeout: 0 });
    onOpen?.();
    yield* eventsOf(feed);
  }

  /**
   * Returns which parts of the contract this environment has covered; with `all`, every environment of the
   * process.
   */
  async coverage(wanted: CoverageOptions = {}): Promise<Coverage> {
    const { counted, options } = partsOf('coverage', wanted);
    const query = { ...counted, format: 'json' as const };
    return (await this.#transport.call('Control_GetCoverage', { query }, options)) as Coverage;
  }

  /** Returns the same report as an HTML page. */
  async coveragePage(wanted: CoverageOptions = {}): Promise<string> {
    const { counted, options } = partsOf('coveragePage', wanted);
    const query = { ...counted, format: 'html' as const };
    return (await this.#transport.call('Control_GetCoverage', { query }, options)) as string;
  }

  /** Resets the counts to zero. */
  async forgetCoverage(wanted: CoverageOptions = {}): Promise<void> {
    const { counted, options } = partsOf('forgetCoverage', wanted);
    await this.#transport.call('Control_ForgetCoverage', { query: counted }, options);
  }
}

const ROTATION: NamesOf<KeyRotation> = { ...CALL, overlap: true };
const RESET: NamesOf<ResetOptions> = { ...CALL, only: true };
const EVENTS: NamesOf<EventOptions> = { kinds: true, all: true, signal: true, onOpen: true };
const COVERAGE: NamesOf<CoverageOptions> = { ...CALL, all: true };

function partsOf(call: string, wanted: CoverageOptions) {
  checkOptions(call, wanted, COVERAGE);
  const { all, ...options } = wanted;
  return { counted: { environments: all ? ('all' as const) : undefined }, options };
}

/** Something that happened in an environment; `data` depends on the kind. */
export interface ControlEvent {
  id: string;
  kind: string;
  data: unknown;
}

/** Parses server-sent events. Leaving the loop closes the connection. */
async function* eventsOf(response: Response): AsyncGenerator<ControlEvent, void> {
  const text = response.body!.pipeThrough(new TextDecoderStream());
  const reader = text.pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const { id = '', event: kind = '', data } = read.value;
      yield { id, kind, data: JSON.parse(data) as unknown };
    }
  } finally {
    await reader.cancel();
  }
}
