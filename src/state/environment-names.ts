import type { Cause } from '../contract/cause.ts';
import { alreadyExists, failedPrecondition, stopping, ApiError } from '../contract/errors.ts';
import { suggestAmong } from '@understudy/text/suggestion';

export const DEFAULT_ENVIRONMENT = 'default';

/** As the contract's schema `EnvironmentName` says. Other texts can come in paths, headers and forged tokens. */
export const canBeName = (text: string): boolean => /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(text);

/** The most names of dropped environments that are remembered one by one. */
const MOST_NAMES = 10_000;

interface NameSettings {
  /** The most environments besides `default`. */
  limit: number;
  /** Whether stored environments are put to rest. The limit is then for the others. */
  canRest: boolean;
  /** Whether the store has an environment of this name, which may be in another process or rest. */
  isStored: (name: string) => Promise<boolean>;
  /** How many environments of the store had the name before. */
  generation: (name: string) => Promise<number>;
}

interface NamedEnvironment {
  readonly name: string;
  readonly generation: number;
  readonly log: { readonly isKept: boolean };
  readonly keptFor: object | undefined;
}

interface ChosenName {
  name: string;
  /** How many environments had the name before; absent: none. */
  generation?: number;
}

export const nameTaken = (name: string): ApiError => alreadyExists(`environment ${name} exists already`);

/** Chooses and checks the names of new environments. */
export class EnvironmentNames {
  readonly #settings: NameSettings;
  readonly #all: ReadonlyMap<string, NamedEnvironment>;
  /** The generation of the next environment, by the name of dropped ones. */
  readonly #next = new Map<string, number>();
  /** The generation of an environment whose name is forgotten. */
  #ofForgotten = 0;
  #lastNumber = 0;
  #isClosed = false;

  /** `all`: the environments of this process. */
  constructor(settings: NameSettings, all: ReadonlyMap<string, NamedEnvironment>) {
    this.#settings = settings;
    this.#all = all;
  }

  /** From now on no environment can be created. */
  close(): void {
    this.#isClosed = true;
  }

  /** A name that no environment has. Throws if `wanted` is taken, or there are too many environments. */
  async choose(wanted: string | undefined): Promise<ChosenName> {
    if (this.#isClosed) throw stopping();
    const name = wanted ?? (await this.#freeName());
    if (wanted !== undefined && (await this.#isTaken(name))) throw nameTaken(name);
    if (name === DEFAULT_ENVIRONMENT) return { name };
    const generation = Math.max(this.#generationHere(name), await this.#settings.generation(name));
    this.#refuseTooMany();
    return generation === 0 ? { name } : { name, generation };
  }

  /** The environment is dropped. What it has issued must not be valid in a later one of this name. */
  release({ name, generation }: Pick<NamedEnvironment, 'name' | 'generation'>): void {
    const next = generation + 1;
    if (this.#generationHere(name) >= next) return;
    this.#next.set(name, next);
    if (this.#next.size > MOST_NAMES) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [[name, generation] = ['', 0]] = this.#next;
    this.#next.delete(name);
    this.#ofForgotten = Math.max(this.#ofForgotten, generation);
  }

  /** Most environments are `env-1`, `env-2`, …: that one of these was dropped needs no memory. */
  #generationHere(name: string): number {
    const number = Number(/^env-(\d{1,15})$/.exec(name)?.[1] ?? Infinity);
    return this.#next.get(name) ?? Math.max(this.#ofForgotten, number < this.#lastNumber ? 1 : 0);
  }

  async #isTaken(name: string): Promise<boolean> {
    if (this.#all.has(name)) return true;
    return name !== DEFAULT_ENVIRONMENT && (await this.#settings.isStored(name));
  }

  /** Larger steps after each name that is taken, because the store may have many. */
  async #freeName(): Promise<string> {
    for (let step = 1; ; step *= 2) {
      do this.#lastNumber += 1;
      while (this.#all.has(`env-${this.#lastNumber}`));
      const number = this.#lastNumber;
      if (!(await this.#settings.isStored(`env-${number}`))) return `env-${number}`;
      this.#lastNumber = Math.max(this.#lastNumber, number + step - 1);
    }
  }

  #refuseTooMany(): void {
    const { limit, canRest } = this.#settings;
    const counted = [...this.#all].filter(
      ([name, { log, keptFor }]) =>
        name !== DEFAULT_ENVIRONMENT && keptFor === undefined && !(canRest && log.isKept),
    );
    if (counted.length >= limit) throw tooManyEnvironments(counted.length);
  }
}

const tooManyEnvironments = (count: number) =>
  failedPrecondition(
    `there are ${count} environments besides default, as many as --max-environments allows: drop some ` +
      '(DELETE /_control/v1/environments/{name}), or set a shorter time after which unused ones are dropped (--environment-ttl)',
  );

/** `dropped`: why Understudy dropped the environment, if it did. */
export function environmentNotFound(
  name: string,
  known: readonly string[],
  dropped: string | undefined,
): ApiError {
  const why: Cause = { kind: 'unknown' };
  if (dropped !== undefined)
    return new ApiError('not_found', `environment ${name} was dropped, ${dropped}`, { why });
  return new ApiError('not_found', `environment ${name} not found${suggestAmong(name, known)}`, { why });
}
