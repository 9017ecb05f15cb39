import { setTimeout as delay } from 'node:timers/promises';
import type { Generator } from '../../src/state/ids.ts';
import type { History, Order } from './history.ts';
import type { Organization, OrganizationCall } from './organization-model.ts';
import {
  organizationIn,
  organizationsIn,
  type Answer,
  type Known,
  type OrganizationsClient,
} from './organizations-client.ts';

/** Calls before the callers of an environment use the next external id: shorter histories are checked faster. */
const CALLS_ON_ONE = 80;
/** External ids that are in use at the same time. */
const IDS_IN_USE = 4;
/** Milliseconds between two calls at most, and after a call without an answer. */
const [LONGEST_PAUSE, AFTER_FAILURE] = [40, 100];

/** What the callers of one environment share. */
export interface Shared {
  client: OrganizationsClient;
  history: History;
  order: Order;
  urls: readonly string[];
  /** The organization that an answer has last shown, by external id. */
  known: Map<string, Known>;
  calls: number;
}

interface Attempt {
  externalId: string;
  send(url: string): Promise<Answer | undefined>;
  /** Recorded if nobody knows the result. Absent for a read, because it changes nothing. */
  unanswered?: OrganizationCall;
  /** Undefined if the answer is none that the service may give. */
  answered(answer: Answer): OrganizationCall | undefined;
}

/** Makes random calls on a few organizations, one after the other, and records them. */
export class Caller {
  readonly #shared: Shared;
  readonly #generator: Generator;
  readonly #name: string;
  #count = 0;

  constructor(shared: Shared, generator: Generator, name: string) {
    this.#shared = shared;
    this.#generator = generator;
    this.#name = name;
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const replica = this.#below(this.#shared.urls.length);
      const draw = this.#generator.draw();
      const isAnswered =
        draw < 0.03 ? await list(this.#shared, replica) : await this.#record(replica, this.#attempt());
      await delay(isAnswered ? this.#below(LONGEST_PAUSE) : AFTER_FAILURE);
    }
  }

  #attempt(): Attempt {
    const first = Math.floor(this.#shared.calls / CALLS_ON_ONE);
    this.#shared.calls += 1;
    const externalId = `key-${first + this.#below(IDS_IN_USE)}`;
    const known = this.#shared.known.get(externalId);
    const draw = this.#generator.draw();
    if (draw < 0.4) return this.#read(externalId);
    if (!known || draw < 0.5) return this.#create(externalId);
    return draw < 0.92 ? this.#update(known) : this.#remove(known);
  }

  #read(externalId: string): Attempt {
    const { client } = this.#shared;
    return {
      externalId,
      send: (url) => client.read(url, externalId),
      answered: (answer) => {
        if (answer.status === 200) return { call: 'read', result: this.#learn(answer) };
        return isAbsent(answer) ? { call: 'read', result: 'absent' } : undefined;
      },
    };
  }

  #create(externalId: string): Attempt {
    const wanted = { born: this.#fresh(), value: this.#fresh() };
    const call = { call: 'create', ...wanted } as const;
    return {
      externalId,
      send: (url) => this.#shared.client.create(url, externalId, wanted),
      unanswered: call,
      answered: (answer) => {
        if (answer.status === 201) this.#learn(answer);
        if (answer.status === 201) return { ...call, result: 'created' };
        return isTaken(answer) ? { ...call, result: 'taken' } : undefined;
      },
    };
  }

  #update({ id, externalId, born }: Known): Attempt {
    const call = { call: 'update', born, value: this.#fresh() } as const;
    return {
      externalId,
      send: (url) => this.#shared.client.update(url, id, call.value),
      unanswered: call,
      answered: (answer) => {
        if (answer.status === 200) return { ...call, result: 'updated' };
        return isAbsent(answer) ? { ...call, result: 'absent' } : undefined;
      },
    };
  }

  #remove({ id, externalId, born }: Known): Attempt {
    const call = { call: 'delete', born } as const;
    return {
      externalId,
      send: (url) => this.#shared.client.remove(url, id),
      unanswered: call,
      answered: (answer) => {
        if (answer.status === 200) return { ...call, result: 'deleted' };
        return isAbsent(answer) ? { ...call, result: 'absent' } : undefined;
      },
    };
  }

  /** Resolves to whether there was an answer. */
  async #record(replica: number, { externalId, send, unanswered, answered }: Attempt): Promise<boolean> {
    const { order, history, urls } = this.#shared;
    const invoked = order.next();
    const answer = await send(urls[replica]!);
    if (answer && isRefused(answer)) return false;
    const isKnown = answer !== undefined && answer.status !== 503;
    const completed = isKnown ? order.next() : Infinity;
    const input = isKnown ? answered(answer) : unanswered;
    if (input) history.add(externalId, { invoked, completed, input, replica });
    else if (isKnown) history.surprises.push(`replica ${replica}: ${JSON.stringify(answer)}`);
    return isKnown;
  }

  #learn({ body }: Answer): Organization {
    const known = organizationIn(body);
    this.#shared.known.set(known.externalId, known);
    return known;
  }

  #fresh(): string {
    this.#count += 1;
    return `${this.#name}-${this.#count}`;
  }

  #below(limit: number): number {
    return Math.floor(this.#generator.draw() * limit);
  }
}

/** Lists the environment. Resolves to whether there was an answer. */
export async function list({ client, history, order, urls }: Shared, replica: number): Promise<boolean> {
  const invoked = order.next();
  const answer = await client.list(urls[replica]!);
  if (!answer || answer.status === 503) return false;
  const completed = order.next();
  if (answer.status !== 200) {
    history.surprises.push(`replica ${replica}: ${JSON.stringify(answer)}`);
    return true;
  }
  const all = organizationsIn(answer.body);
  const rows = new Map(all.map((each) => [each.externalId, each]));
  if (rows.size < all.length) history.surprises.push(`replica ${replica} lists an external id twice`);
  history.addList({ invoked, completed, rows, replica });
  return true;
}

const messageOf = ({ body }: Answer) => String(body['message']);

/** Answers of a process that does not own the environment and did not reach the owner: the call had no effect. */
const REFUSALS = [
  /^environment \S+ is being taken over: try again$/,
  /^environment \S+ belongs to another process, or is being taken over: try again$/,
  /^the process at \S+, which owns environment \S+, cannot be reached: (?!it answers)/,
];

const isRefused = (answer: Answer) =>
  answer.status === 503 && REFUSALS.some((refusal) => refusal.test(messageOf(answer)));

const isAbsent = (answer: Answer) =>
  answer.status === 404 && /^organization \S+ not found$/.test(messageOf(answer));

const isTaken = (answer: Answer) =>
  answer.status === 400 && messageOf(answer).startsWith('duplicate external_id ');
