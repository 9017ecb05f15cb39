import { alreadyExists, failedPrecondition, stopping } from '../errors.ts';
import type { StoredEnvironments } from './stored-environments.ts';

export const DEFAULT_ENVIRONMENT = 'default';

interface NameSettings {
  /** The most environments besides `default`. */
  limit: number;
  /** Whether other processes may have environments. */
  isShared: boolean;
}

/** Chooses and checks the names of new environments. */
export class EnvironmentNames {
  readonly #settings: NameSettings;
  readonly #all: ReadonlyMap<string, unknown>;
  readonly #stored: StoredEnvironments;
  #lastNumber = 0;
  #isClosed = false;

  /** `all`: the environments of this process. */
  constructor(settings: NameSettings, all: ReadonlyMap<string, unknown>, stored: StoredEnvironments) {
    this.#settings = settings;
    this.#all = all;
    this.#stored = stored;
  }

  /** From now on no environment can be created. */
  close(): void {
    this.#isClosed = true;
  }

  /** A name that no environment has. Throws if `wanted` is taken, or there are too many environments. */
  async choose(wanted: string | undefined): Promise<string> {
    if (this.#isClosed) throw stopping();
    const isTaken = async (name: string) => this.#settings.isShared && (await this.#stored.exists(name));
    let name = wanted ?? this.#freeName();
    while (name !== DEFAULT_ENVIRONMENT && (await isTaken(name))) {
      if (wanted !== undefined) throw alreadyExists(`environment ${name} exists already`);
      name = this.#freeName();
    }
    this.#check(name);
    return name;
  }

  #check(name: string): void {
    if (this.#all.has(name) || this.#stored.isElsewhere(name))
      throw alreadyExists(`environment ${name} exists already`);
    const others = this.#all.size - (this.#all.has(DEFAULT_ENVIRONMENT) ? 1 : 0);
    if (name !== DEFAULT_ENVIRONMENT && others >= this.#settings.limit) throw tooManyEnvironments(others);
  }

  #freeName(): string {
    this.#lastNumber += 1;
    const name = `env-${this.#lastNumber}`;
    return this.#all.has(name) ? this.#freeName() : name;
  }
}

const tooManyEnvironments = (count: number) =>
  failedPrecondition(
    `there are ${count} environments besides default, as many as --max-environments allows: drop some ` +
      '(DELETE /_control/v1/environments/{name}), or let those go that nobody uses (--environment-ttl)',
  );

/** The environment in a client's id or secret, or `default`. */
export function environmentOfClient(idOrSecret: string): string {
  const [, named] =
    /^(?:skc|m2morg|m2m)_([a-z0-9-]{1,40})_\d+$/.exec(idOrSecret) ??
    /^test_([a-z0-9-]{1,40})_[A-Za-z0-9]{32,}$/.exec(idOrSecret) ??
    [];
  return named ?? DEFAULT_ENVIRONMENT;
}
