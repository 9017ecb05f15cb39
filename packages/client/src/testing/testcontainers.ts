import {
  AbstractStartedContainer,
  GenericContainer,
  getContainerRuntimeClient,
  Wait,
  type StartedTestContainer,
} from 'testcontainers';
import { connectUnderstudy, type Understudy } from './testing.ts';

const PORT = 8080;
const IMAGE = 'understudy';
const IS_ALWAYS_IN_CERTIFICATE = /^(localhost|127\.0\.0\.1|::1)$/;

/**
 * The image of Understudy for testcontainers. It keeps its state in memory. Any variable of `understudy serve` can be
 * given by `withEnvironment`, such as `UNDERSTUDY_FIXTURE`.
 */
export class UnderstudyContainer extends GenericContainer {
  #token: string | undefined;
  readonly #folders = { UNDERSTUDY_SCENARIOS: [] as string[], UNDERSTUDY_FIXTURES: [] as string[] };

  constructor(image: string = IMAGE) {
    super(image);
    this.withExposedPorts(PORT)
      .withEnvironment({ UNDERSTUDY_MEMORY: '1', UNDERSTUDY_LOG_LEVEL: 'warn' })
      .withWaitStrategy(Wait.forHttp('/_control/v1/health', PORT));
  }

  /** Copies a folder with your own scenarios into the container, so that they can be loaded by name. */
  withScenarioFolder(folder: string): this {
    return this.#withFolder('UNDERSTUDY_SCENARIOS', folder);
  }

  /** Copies a folder with your own fixtures into the container. */
  withFixtureFolder(folder: string): this {
    return this.#withFolder('UNDERSTUDY_FIXTURES', folder);
  }

  /** The token that the control API requires. `connect()` sends it. */
  withControlToken(token: string): this {
    this.#token = token;
    return this.withEnvironment({ UNDERSTUDY_CONTROL_TOKEN: token });
  }

  /** Resolves when the service is ready. */
  override async start(): Promise<StartedUnderstudyContainer> {
    return new StartedUnderstudyContainer(await super.start(), this.#token);
  }

  /** The certificate gets the names under which tests and other containers call the service. */
  protected override async beforeContainerCreated(): Promise<void> {
    const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
    const names = [host, ...this.networkAliases].filter((name) => !IS_ALWAYS_IN_CERTIFICATE.test(name));
    const given = this.environment['UNDERSTUDY_TLS_HOST'];
    const all = given === undefined ? names : [given, ...names];
    if (all.length > 0) this.withEnvironment({ UNDERSTUDY_TLS_HOST: all.join(',') });
  }

  #withFolder(variable: 'UNDERSTUDY_SCENARIOS' | 'UNDERSTUDY_FIXTURES', folder: string): this {
    const folders = this.#folders[variable];
    const target = `/mounted/${variable.slice('UNDERSTUDY_'.length).toLowerCase()}-${folders.length}`;
    folders.push(target);
    this.withCopyDirectoriesToContainer([{ source: folder, target }]);
    return this.withEnvironment({ [variable]: folders.join(',') });
  }
}

/** A container whose service is ready. */
export class StartedUnderstudyContainer extends AbstractStartedContainer {
  readonly #token: string | undefined;

  /** @internal */
  constructor(container: StartedTestContainer, token: string | undefined) {
    super(container);
    this.#token = token;
  }

  /** The address without TLS, as tests see it: `http://localhost:49153`. */
  getUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(PORT)}`;
  }

  /** The address with TLS. `(await connect()).control.authority()` is the certificate to trust. */
  getTlsUrl(): string {
    return `https://${this.getHost()}:${this.getMappedPort(PORT)}`;
  }

  /** The service with everything that `startUnderstudy()` offers, except `app`. Its `stop()` stops the container. */
  connect(): Promise<Understudy> {
    const token = this.#token;
    return connectUnderstudy(this.getUrl(), { stop: () => this.stop(), ...(token && { token }) });
  }
}
