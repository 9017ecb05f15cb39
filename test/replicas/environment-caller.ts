import { setTimeout as delay } from 'node:timers/promises';
import type { Generator } from '../../src/state/ids.ts';
import type { EnvironmentsClient } from './environments-client.ts';
import type { History, Order } from './history.ts';
import { organizationsIn, type Answer } from './organizations-client.ts';

/** Milliseconds after a call without an answer. */
const AFTER_FAILURE = 100;
const [BEFORE_SNAPSHOT, AFTER_SNAPSHOT] = ['org_11111111111111111111', 'org_22222222222222222222'];

interface CallerParts {
  client: EnvironmentsClient;
  generator: Generator;
  urls: readonly string[];
  /** Those that are forked. */
  histories: readonly History[];
  order: Order;
  name: string;
}

/** The run is over, or nobody knows whether an earlier call will still have its effect. */
class Abandoned extends Error {}

type Send = (url: string) => Promise<Answer | undefined>;

/** Creates, forks, changes and drops environments that nobody else calls, one after the other. */
export class EnvironmentCaller {
  readonly #parts: CallerParts;
  #isOver = () => false;
  /** What contradicts earlier answers. */
  readonly problems: string[] = [];
  /** Each was dropped, and no call that could make it again is left. */
  readonly dropped: string[] = [];
  forks = 0;
  restores = 0;

  constructor(parts: CallerParts) {
    this.#parts = parts;
  }

  async run(isOver: () => boolean): Promise<void> {
    this.#isOver = isOver;
    for (let count = 1; !isOver(); count += 1) {
      const life = this.#live(`${this.#parts.name}-${count}`);
      await life.catch((thrown: unknown) => {
        if (!(thrown instanceof Abandoned)) throw thrown;
      });
    }
  }

  async #live(name: string): Promise<void> {
    const { client, generator } = this.#parts;
    if (generator.draw() < 0.5) await this.#fork(name);
    else await this.#expect('create', 201, (url) => client.create(url, name));
    await this.#everywhere(name, 200);
    if (generator.draw() < 0.5) await this.#change(name);
    await this.#expect('drop', 204, (url) => client.drop(url, name));
    await this.#everywhere(name, 404);
    this.dropped.push(name);
  }

  /** A fork has the rows of some moment between the call and its answer. */
  async #fork(name: string): Promise<void> {
    const { client, generator, histories, order } = this.#parts;
    const history = histories[Math.floor(generator.draw() * histories.length)]!;
    const invoked = order.next();
    await this.#expect('fork', 201, (url) => client.fork(url, history.environment, name));
    const completed = order.next();
    const [answer, replica] = await this.#answered((url) => client.organizations(url, name));
    if (answer.status !== 200) return this.#note(`fork ${name}`, replica, answer);
    const rows = new Map(organizationsIn(answer.body).map((each) => [each.externalId, each]));
    history.addList({ invoked, completed, rows, replica });
    this.forks += 1;
  }

  /** A snapshot brings back what there was, and a reset the start. */
  async #change(name: string): Promise<void> {
    const { client } = this.#parts;
    const start = await this.#ids(name);
    await this.#expect('put', 200, (url) => client.put(url, name, BEFORE_SNAPSHOT));
    await this.#expect('snapshot', 201, (url) => client.save(url, name, 'halfway'));
    await this.#expect('put', 200, (url) => client.put(url, name, AFTER_SNAPSHOT));
    await this.#compare(name, [...start, BEFORE_SNAPSHOT, AFTER_SNAPSHOT]);
    await this.#expect('restore', 204, (url) => client.restore(url, name, 'halfway'));
    await this.#compare(name, [...start, BEFORE_SNAPSHOT]);
    await this.#expect('reset', 204, (url) => client.reset(url, name));
    await this.#compare(name, start);
    this.restores += 1;
  }

  async #compare(name: string, wanted: readonly string[]): Promise<void> {
    const found = await this.#ids(name);
    if (String(found.toSorted()) !== String([...wanted].toSorted()))
      this.problems.push(`environment ${name} has ${String(found)}, not ${String(wanted)}`);
  }

  async #ids(name: string): Promise<string[]> {
    const [answer, replica] = await this.#answered((url) => this.#parts.client.organizations(url, name));
    if (answer.status === 200) return organizationsIn(answer.body).map(({ id }) => id);
    this.#note(`organizations of ${name}`, replica, answer);
    throw new Abandoned();
  }

  /** Each replica must say whether the environment exists. */
  async #everywhere(name: string, status: number): Promise<void> {
    for (const url of this.#parts.urls) {
      const [answer, replica] = await this.#answered(() => this.#parts.client.find(url, name), url);
      if (answer.status !== status) this.#note(`environment ${name}`, replica, answer);
    }
  }

  /** Sends a change once. Without an answer it may still have its effect, which would explain anything. */
  async #expect(what: string, status: number, send: Send): Promise<void> {
    const url = this.#anyUrl();
    const answer = await send(url);
    if (!answer || answer.status === 503) {
      await delay(AFTER_FAILURE);
      throw new Abandoned();
    }
    if (answer.status !== status) this.#note(what, this.#parts.urls.indexOf(url), answer);
  }

  /** Repeats a call that only reads. */
  async #answered(send: Send, fixed?: string): Promise<[answer: Answer, replica: number]> {
    while (!this.#isOver()) {
      const url = fixed ?? this.#anyUrl();
      const answer = await send(url);
      if (answer && answer.status !== 503) return [answer, this.#parts.urls.indexOf(url)];
      await delay(AFTER_FAILURE);
    }
    throw new Abandoned();
  }

  #note(what: string, replica: number, { status, body }: Answer): void {
    this.problems.push(`${what}, replica ${replica}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
  }

  #anyUrl(): string {
    const { generator, urls } = this.#parts;
    return urls[Math.floor(generator.draw() * urls.length)]!;
  }
}
