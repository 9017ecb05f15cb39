import { EnvironmentsControl } from './environments-control.ts';
import { ConnectionError } from './errors.ts';
import { checkOptions, type NamesOf, Transport, type ControlOptions } from './transport.ts';
import type { ReadOptions } from './read-options.ts';
export type { ReadOptions };
import type { CallOptions, Environment, Health, KeptTest } from './types.ts';
import { EnvironmentHandle } from './environment.ts';

export { ConnectionError, ControlError, VerificationError, WaitError } from './errors.ts';
export type { Envelope, ErrorDetail, FieldViolation } from './errors.ts';
export type { ClockControl, TimelineOptions } from './environment.ts';
export type { ConnectedAccountControl } from './environment.ts';
export type {
  IdpControl,
  IdpOptions,
  IdpProvider,
  PatchOptions,
  PersonChange,
  PersonOptions,
  PushOptions,
} from './idp-control.ts';
export type { PasskeyControl, PasskeyOptions, SignOptions } from './passkeys.ts';
export type { TotpControl, TotpOptions } from './totp.ts';
export type {
  EnvironmentListOptions,
  EnvironmentPage,
  EnvironmentPageOptions,
  EnvironmentsControl,
} from './environments-control.ts';
export type {
  DeliveryControl,
  DeliveryFilter,
  DeliveryPage,
  MailControl,
  MailFilter,
  OutgoingControl,
  OutgoingFilter,
} from './item-lists.ts';
export type { CountedRequests, RequestControl, RequestFilter, RequestPage } from './item-lists.ts';
export type { ItemList, CountedItemList, Since, Waiting } from './item-lists.ts';
export type {
  EditOptions,
  KeptChange,
  NamedRow,
  ReadRow,
  RelatedRows,
  RowListOptions,
  StateDifference,
  RowPage,
  SnapshotControl,
  StateControl,
} from './state.ts';
export type { ControlOptions } from './transport.ts';
export { unchecked } from '@understudy/core/contract/name-patterns';
export type {
  ActivityKind,
  EventName,
  FixtureName,
  OperationName,
  TriggerName,
} from '@understudy/core/contract/names.gen';
export type {
  Duration,
  DurationText,
  OffsetText,
  EventPattern,
  Fixture,
  OperationPattern,
  RulePattern,
  Scenario,
  ScenarioName,
  ScenarioObject,
  ScenarioParams,
  StatusPattern,
  TriggerPattern,
  Unchecked,
  UncheckedName,
  WantedScenario,
} from '@understudy/core/contract/name-patterns';
export type { LoadArguments, SaveOptions, ScenarioControl } from './scenarios.ts';
export type {
  AccountAuthorization,
  AppliedRemedy,
  AuthorizedAccount,
  CallOptions,
  Clock,
  ClockSetting,
  Collection,
  Coverage,
  Dependents,
  Environment,
  Expectation,
  Health,
  Idp,
  JournalEntry,
  KeptEnvironment,
  BundledTest,
  KeptTest,
  LintedScenario,
  LoadedScenario,
  LoadedScenarioId,
  Mail,
  OutgoingCall,
  SoftwarePasskey,
  PasskeyAnswer,
  NearMiss,
  NewEnvironment,
  Remedy,
  RequestMatch,
  RequestSummary,
  Row,
  RowPatch,
  ScenarioFile,
  ScenarioList,
  Snapshot,
  State,
  SigningKeys,
  Timeline,
  Trace,
  TriggeredEvent,
  WebhookDelivery,
  WebhookEndpoint,
} from './types.ts';
export type { TriggerOptions, WebhookControl } from './webhooks.ts';
export type { EndpointChange, Inbox, NewEndpoint, ReceivedWebhook, Rotation } from './webhooks.ts';
export type {
  ControlEvent,
  CoverageOptions,
  EnvironmentHandle,
  EventOptions,
  Part,
  KeyRotation,
  ResetOptions,
} from './environment.ts';

const CONTROL: NamesOf<ControlOptions> = {
  token: true,
  environment: true,
  timeout: true,
  signal: true,
  fetch: true,
};

/** The address of `npm start` and of the image. */
const USUAL_URL = 'http://localhost:8080';

/**
 * Calls the control API of a running service, for the environment `default` or the one of the options. Throws
 * a `ControlError` for a rejected call and a `ConnectionError` if nothing answers.
 */
export class ControlClient extends EnvironmentHandle {
  readonly environments: EnvironmentsControl;
  readonly #transport: Transport;

  constructor(url: string = USUAL_URL, options: ControlOptions = {}) {
    checkOptions('ControlClient', options, CONTROL);
    const transport = new Transport(url, options);
    super(transport);
    this.#transport = transport;
    this.environments = new EnvironmentsControl(transport);
  }

  /** Throws ConnectionError if something else than Understudy answers. */
  async health(options?: CallOptions): Promise<Health> {
    const health: Partial<Health> = await this.#transport.call('Control_Health', {}, options);
    if (typeof health.version !== 'string')
      throw new ConnectionError(`the server at ${this.#transport.url} is not Understudy`);
    return health as Health;
  }

  /** The OpenAPI document of the control API. */
  document(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.#transport.call('Control_Document', {}, options);
  }

  /** What the process has counted since its start, in Prometheus' text format. */
  metrics(options?: CallOptions): Promise<string> {
    return this.#transport.call('Control_GetMetrics', {}, options);
  }

  /** The certificate (PEM) of the authority that signs the service's TLS certificates. */
  authority(options?: CallOptions): Promise<string> {
    return this.#transport.call('Control_Authority', {}, options);
  }

  /** The same calls for another environment. */
  environment(name: string): EnvironmentControl {
    return new EnvironmentControl(this.#transport.of(name), name);
  }
}

/** Calls the control API for one environment. */
export class EnvironmentControl extends EnvironmentHandle {
  readonly name: string;
  readonly #environments: EnvironmentsControl;

  /** @internal */
  constructor(transport: Transport, name: string) {
    super(transport);
    this.name = name;
    this.#environments = new EnvironmentsControl(transport);
  }

  /** Its address and credentials. */
  get(options?: CallOptions): Promise<Environment> {
    return this.#environments.get(this.name, options);
  }

  /** Keeps the environment for a test. Those of 50 tests are kept, and the next one drops the oldest. */
  keep(test: KeptTest, options?: CallOptions): Promise<Environment> {
    return this.#environments.keep(this.name, test, options);
  }

  /** Copies the environment as it is or, with `at`, as it was. */
  fork(name?: string, wanted?: ReadOptions): Promise<Environment> {
    return this.#environments.fork(this.name, name, wanted);
  }

  drop(options?: CallOptions): Promise<void> {
    return this.#environments.drop(this.name, options);
  }
}
