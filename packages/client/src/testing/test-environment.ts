import type {
  BundledTest,
  ClockControl,
  ConnectedAccountControl,
  PasskeyControl,
  Coverage,
  CoverageOptions,
  Environment,
  LoadArguments,
  LoadedScenarioId,
  MailControl,
  OutgoingControl,
  RequestControl,
  ScenarioControl,
  ScenarioName,
  ScenarioObject,
  SnapshotControl,
  StateControl,
  TotpControl,
  UncheckedName,
  WebhookControl,
  EnvironmentHandle,
  Idp,
  IdpControl,
  IdpOptions,
  IdpProvider,
  KeyRotation,
  SigningKeys,
} from '../control.ts';
import { clientToken, userTokens, type Tokens } from './tokens.ts';

/** An environment as tests use it: address, credentials and controls. */
export class TestControls {
  readonly name: string;
  /** The address for SDKs. The credentials select this environment, even if others share the address. */
  readonly url: string;
  /** The address for a browser without credentials. */
  readonly browserUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Headers for calls without credentials: they name this environment. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: ClockControl;
  readonly state: StateControl;
  readonly scenarios: ScenarioControl;
  readonly requests: RequestControl;
  readonly mail: MailControl;
  /** Webhooks: `const inbox = await env.webhooks.inbox()`. */
  readonly webhooks: WebhookControl;
  readonly outgoing: OutgoingControl;
  readonly snapshots: SnapshotControl;
  /** Simulates the end users of connected accounts at third parties. */
  readonly connectedAccounts: ConnectedAccountControl;
  /** An authenticator without a browser. */
  readonly passkeys: PasskeyControl;
  readonly #control: EnvironmentHandle;

  /** @internal */
  constructor(control: EnvironmentHandle, { name, client_id, client_secret }: Environment) {
    this.#control = control;
    this.name = name;
    this.url = control.url;
    this.browserUrl = hostOf(name, control.url);
    this.clientId = client_id;
    this.clientSecret = client_secret;
    this.headers = { 'understudy-environment': name };
    this.clock = control.clock;
    this.state = control.state;
    this.scenarios = control.scenarios;
    this.requests = control.requests;
    this.mail = control.mail;
    this.webhooks = control.webhooks;
    this.outgoing = control.outgoing;
    this.snapshots = control.snapshots;
    this.connectedAccounts = control.connectedAccounts;
    this.passkeys = control.passkeys;
  }

  /**
   * Loads a scenario: by name, with parameters, or as an object.
   *
   * @example await env.scenario('rate-limit-once', { retry_after: 5 });
   */
  scenario<N extends ScenarioName | UncheckedName>(
    scenario: N | ScenarioObject,
    ...params: LoadArguments<N>
  ): Promise<LoadedScenarioId> {
    return this.scenarios.load(scenario, ...params);
  }

  /** The authenticator app of a user, by id or e-mail address: `await env.totp('ada@acme.example').code()`. */
  totp(user: string): TotpControl {
    return this.#control.totp(user);
  }

  /**
   * An identity provider that pushes people and groups to a directory over SCIM.
   *
   * @example await env.idp('okta').offboard('ada@acme.example');
   */
  idp(provider?: IdpProvider, options?: IdpOptions): IdpControl {
    return this.#control.idp(provider, options);
  }

  /** The identity providers that have pushed, oldest first. */
  idps(): Promise<Idp[]> {
    return this.#control.idps();
  }

  /**
   * Signs new tokens with a new key: `await env.rotateKeys({ overlap: '1h' })`. `/keys` lists the former key for that long,
   * on the clock of the environment, and for a day without it.
   */
  rotateKeys(rotation?: KeyRotation): Promise<SigningKeys> {
    return this.#control.rotateKeys(rotation);
  }

  /** An access token of the environment's own client, for code that needs one. */
  accessToken(): Promise<string> {
    return clientToken(this);
  }

  /**
   * Signs a user in without a browser: `const { accessToken } = await env.signIn('ravi@acme.example')`. Throws an error if
   * the sign-in is refused.
   */
  signIn(email: string): Promise<Tokens> {
    return userTokens(this, email);
  }

  /** Streams what happens in this environment from now on. */
  events(options?: Parameters<EnvironmentHandle['events']>[0]): ReturnType<EnvironmentHandle['events']> {
    return this.#control.events(options);
  }

  /** Returns how much of the API's document the calls to this environment have covered. */
  coverage(options?: CoverageOptions): Promise<Coverage> {
    return this.#control.coverage(options);
  }

  /**
   * One compressed file with everything of the environment up to now, without secrets. `understudy open` shows it on any
   * machine, and `understudy replay` makes its calls again. `test`: the test for which it is made.
   */
  bundle(test?: BundledTest): Promise<Uint8Array> {
    return this.#control.bundle(test);
  }

  /** Resets the environment to its fixture, wholly or in parts. */
  reset(options?: Parameters<EnvironmentHandle['reset']>[0]): Promise<void> {
    return this.#control.reset(options);
  }
}

function hostOf(name: string, url: string): string {
  const { protocol, port, pathname } = new URL(url);
  const host = name === 'default' ? 'localhost' : `${name}.localhost`;
  return `${protocol}//${host}${port && `:${port}`}${pathname.replace(/\/+$/, '')}`;
}
