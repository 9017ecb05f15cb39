import type {
  ClockControl,
  ConnectedAccountControl,
  Coverage,
  CoverageOptions,
  Environment,
  LoadedScenarioId,
  MailControl,
  OutgoingControl,
  RequestControl,
  ScenarioControl,
  SnapshotControl,
  StateControl,
  WebhookControl,
  EnvironmentHandle,
} from '../client/control.ts';

/** An environment as tests see it: where it is, how to be let in, and what can be done with it. */
export class TestControls {
  readonly name: string;
  /** Where an SDK calls. Its credentials lead to this environment, whatever others are at the same address. */
  readonly url: string;
  /** Where a browser that has no credentials yet finds this environment. */
  readonly browserUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** For calls without credentials: they name this environment. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: ClockControl;
  readonly state: StateControl;
  readonly scenarios: ScenarioControl;
  readonly requests: RequestControl;
  readonly mail: MailControl;
  /** What the service sends: `const inbox = await env.webhooks.inbox()`. */
  readonly webhooks: WebhookControl;
  readonly outgoing: OutgoingControl;
  readonly snapshots: SnapshotControl;
  /** What the end users of connected accounts do at third parties. */
  readonly connectedAccounts: ConnectedAccountControl;
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
  }

  /** Loads a scenario: by name, with values for its parameters, or as an object. */
  scenario(scenario: string | object, params?: object): Promise<LoadedScenarioId> {
    return this.scenarios.load(scenario, params);
  }

  /** An access token of the environment's own client, for code that is given one. */
  async accessToken(): Promise<string> {
    const form = {
      grant_type: 'client_credentials',
      client_id: this.clientId,
      client_secret: this.clientSecret,
    };
    const response = await fetch(`${this.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    if (!response.ok) throw new Error(`no token for ${this.clientId}: ${await response.text()}`);
    return ((await response.json()) as { access_token: string }).access_token;
  }

  /** What happens here, from now on, as it happens. */
  events(options?: Parameters<EnvironmentHandle['events']>[0]): ReturnType<EnvironmentHandle['events']> {
    return this.#control.events(options);
  }

  /** How much of the API's document the calls to this environment have covered. */
  coverage(options?: CoverageOptions): Promise<Coverage> {
    return this.#control.coverage(options);
  }

  /** Back to the fixture, wholly or in some parts. */
  reset(options?: Parameters<EnvironmentHandle['reset']>[0]): Promise<void> {
    return this.#control.reset(options);
  }
}

function hostOf(name: string, url: string): string {
  const { protocol, port } = new URL(url);
  const host = name === 'default' ? 'localhost' : `${name}.localhost`;
  return `${protocol}//${host}${port && `:${port}`}`;
}
