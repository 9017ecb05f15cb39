import type { Environment } from '../../environment/environment.ts';
import { DEFAULT_ENVIRONMENT } from '../../state/environment-names.ts';
import type { Environments } from '../../environment/environments.ts';

/** Thrown by a search that needs an environment of another process. The caller looks the environment up and searches again. */
export class Elsewhere extends Error {
  readonly environment: string;

  constructor(environment: string) {
    super(`environment ${environment} is not in this process`);
    this.environment = environment;
  }
}

/**
 * What one call sees of the environments of all processes. A search that needs an environment of another process sets
 * `elsewhere` and throws.
 */
export class EnvironmentView {
  readonly #environments: Environments;
  readonly #absent: ReadonlySet<string>;
  #elsewhere: string | undefined;

  /** `absent`: names that were looked up and belong to no environment. */
  constructor(environments: Environments, absent: ReadonlySet<string>) {
    this.#environments = environments;
    this.#absent = absent;
  }

  /** The first environment that the search needs and this process lacks. */
  get elsewhere(): string | undefined {
    return this.#elsewhere;
  }

  find(name: string): Environment | undefined {
    const own = this.#environments.own(name);
    // What is stored of `default` may be elsewhere; its tokens are known here as well.
    if (own && (name === DEFAULT_ENVIRONMENT || !own.log.isOver)) return own;
    if (this.#absent.has(name)) return undefined;
    this.#elsewhere ??= name;
    throw new Elsewhere(name);
  }

  get(name: string): Environment {
    return this.find(name) ?? this.#environments.get(name);
  }
}
