import { responseOf, type Operation, type Schema } from '@understudy/core/contract/compiled';
import type { Contract } from '@understudy/core/contract/contract';
import { Obstacle, type Answer, type Caller } from '../probes/caller.ts';
import { schemaAt } from '@understudy/core/scenarios/breaches';
import { isObject } from '@understudy/text/json';
import { shortened } from '@understudy/text/suggestion';
import type { Item } from './answer-rows.ts';
import type { PartialFile, ReadList } from './partial-file.ts';
import type { Parameters, Source } from './sources.ts';
import type { StandIns } from './stand-ins.ts';

/** Statuses of lists that the environment does not have, or that the client may not read. */
const ABSENT = [403, 404, 501];
const LARGEST_PAGE = 100;

interface Page {
  items: Item[];
  body: Item;
}

/** Reads lists to their ends, each once. Nothing that it returns is as people have written it. */
export class Reader {
  readonly #caller: Caller;
  readonly #contract: Contract;
  readonly #standIns: StandIns;
  readonly #partial: PartialFile;

  constructor(caller: Caller, contract: Contract, standIns: StandIns, partial: PartialFile) {
    this.#caller = caller;
    this.#contract = contract;
    this.#standIns = standIns;
    this.#partial = partial;
  }

  async read(source: Source, parameters: Parameters): Promise<ReadList> {
    const operation = this.#contract.operation(source.operation)!;
    const { call, query } = callOf(operation, { ...source.query, ...parameters });
    const key = `${call}?${new URLSearchParams(query).toString()}`;
    const known = this.#partial.read(key);
    if (known) return known;
    const list = await this.#readAll(call, query, operation, source);
    this.#partial.add(key, list);
    return list;
  }

  async #readAll(call: string, query: Parameters, operation: Operation, source: Source): Promise<ReadList> {
    const items: Item[] = [];
    const seen = new Set<string>();
    const shape = this.#itemSchema(operation, source.member);
    for (let turn: Parameters | undefined = firstPage(operation), number = 0; turn; number++) {
      const answer = await this.#caller.call({ call, query: { ...query, ...turn } });
      if (answer.status === 404 && source.mayBeAbsent) return { items: [] };
      if (ABSENT.includes(answer.status)) return { items: [], refusal: refusalOf(call, answer) };
      const page = pageIn(answer, source.member, call);
      items.push(...page.items.map((item) => this.#shown(item, shape, source)));
      turn = nextPage(operation, page, number);
      const token = turn?.['page_token'];
      if (token !== undefined && seen.has(token)) throw new Obstacle(`${call} gives the page ${token} twice`);
      if (token !== undefined) seen.add(token);
      if (!turn) checkTotal(call, page.body, items.length);
    }
    return { items };
  }

  #shown(item: Item, schema: Schema | undefined, { kinds = {}, isPublic }: Source): Item {
    return isPublic?.(item) ? item : (this.#standIns.item(item, schema, kinds) as Item);
  }

  #itemSchema(operation: Operation, member: string): Schema | undefined {
    const schema = responseOf(operation, 200)?.content?.['application/json']?.schema;
    if (!schema) return undefined;
    const found = schemaAt([member], schema, this.#contract);
    return found.type === 'array' ? schemaAt([member, 0], schema, this.#contract) : found;
  }
}

/** The parameters that the path has are in the path, the others in the query. */
function callOf({ method, path }: Operation, parameters: Parameters) {
  if (method !== 'GET') throw new Error(`${method} ${path} is no reading call`);
  const rest = { ...parameters };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name] ?? '';
    delete rest[name];
    return encodeURIComponent(value);
  });
  return { call: `GET ${filled}`, query: rest };
}

const parameter = ({ parameters }: Operation, wanted: string) =>
  parameters.find(({ name }) => name === wanted);

/** As large as the list allows. */
function firstPage(operation: Operation): Parameters {
  const size = parameter(operation, 'page_size');
  return size ? { page_size: String(Math.min(size.schema.maximum ?? LARGEST_PAGE, LARGEST_PAGE)) } : {};
}

/** Most lists give a token for the next page; the list of domains counts its pages. */
function nextPage(operation: Operation, { body, items }: Page, number: number): Parameters | undefined {
  const { next_page_token: token } = body;
  if (typeof token === 'string' && token !== '') return { ...firstPage(operation), page_token: token };
  const isFull =
    parameter(operation, 'page_number') && items.length > 0 && items.length >= Number(body['page_size']);
  return isFull ? { ...firstPage(operation), page_number: String(number + 1) } : undefined;
}

function pageIn(answer: Answer, member: string, call: string): Page {
  const { status, body } = answer;
  if (status !== 200 || !isObject(body)) throw new Obstacle(refusalOf(call, answer));
  const found = body[member];
  const items = Array.isArray(found) ? found : [found];
  return { body, items: items.filter(isObject) };
}

function checkTotal(call: string, { total_size, total_count }: Item, read: number): void {
  const total = Number(total_size ?? total_count ?? read);
  if (total === read) return;
  throw new Obstacle(
    `${call} has ${total} rows and its pages have ${read}: it may have changed while it was read; pull again`,
  );
}

const refusalOf = (call: string, { status, body }: Answer): string =>
  `${call} answered ${status}: ${shortened(isObject(body) && typeof body['message'] === 'string' ? body['message'] : JSON.stringify(body ?? ''))}`;
