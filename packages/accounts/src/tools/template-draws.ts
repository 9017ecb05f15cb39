import { Faker, base, en } from '@faker-js/faker';
import type { Env } from '@understudy/core/state/env';
import { callFaker } from '@understudy/core/state/placeholders';
import { PlaceholderBudget } from '@understudy/core/state/placeholder-costs';

/** Steps that one run of an operation takes before other calls have their turn: measured, 7 to 18 ms. */
const STEPS_OF_A_TURN = 20_000;

/** The name under which an operation keeps its draws for its next run. */
const KEPT = 'template draws';

/**
 * The random values of the template of one operation. An operation that needs many starts again several times, with other
 * calls in between, and each run takes over what the runs before it have drawn.
 */
export class TemplateDraws {
  readonly #env: Env;
  readonly #faker: Faker;
  readonly #budget: PlaceholderBudget;
  readonly #draws: KeptDraws['draws'];
  /** How many of each this run has used. */
  readonly #used = new Map<string, number>();
  #spentBefore: number;

  private constructor(env: Env, { faker, budget, draws }: KeptDraws) {
    this.#env = env;
    this.#faker = faker;
    this.#budget = budget;
    this.#draws = draws;
    this.#spentBefore = budget.spent;
  }

  static of(env: Env): TemplateDraws {
    const seed = env.draw.integer();
    const known = env.kept.get(KEPT) as KeptDraws | undefined;
    const kept = known ?? { faker: fakerOf(seed, env), budget: new PlaceholderBudget(), draws: new Map() };
    env.kept.set(KEPT, kept);
    return new TemplateDraws(env, kept);
  }

  /** Throws RangeError that says what is wrong with the placeholder. */
  text(placeholder: string): string {
    return this.#draw(placeholder, (faker) => callFaker(placeholder, faker, this.#budget));
  }

  integer(min: number, max: number): number {
    return this.#draw(`integer ${min} ${max}`, (faker) => faker.number.int({ min, max }));
  }

  boolean(): boolean {
    return this.#draw('boolean', (faker) => faker.datatype.boolean());
  }

  #draw<T>(wanted: string, make: (faker: Faker) => T): T {
    const drawn = this.#draws.get(wanted) ?? [];
    const index = this.#used.get(wanted) ?? 0;
    if (index === drawn.length) {
      this.#letOthersRun();
      drawn.push(make(this.#faker));
      this.#draws.set(wanted, drawn);
    }
    this.#used.set(wanted, index + 1);
    return drawn[index] as T;
  }

  /** If so many steps were taken in this run, the operation starts again. */
  #letOthersRun(): void {
    if (this.#budget.spent - this.#spentBefore < STEPS_OF_A_TURN) return;
    this.#spentBefore = this.#budget.spent;
    this.#env.prepare(nothing());
  }
}

interface KeptDraws {
  faker: Faker;
  budget: PlaceholderBudget;
  /** In the order in which they were drawn, by what they were drawn for. */
  draws: Map<string, unknown[]>;
}

function fakerOf(seed: number, env: Env): Faker {
  const faker = new Faker({ locale: [en, base], seed });
  faker.setDefaultRefDate(new Date(env.clock.ms));
  return faker;
}

function* nothing(): Generator<undefined, void, undefined> {}
