import { jsonTypeIn, type Operation, type Schema } from '@understudy/core/contract/compiled';
import { Contract } from '@understudy/core/contract/contract';
import { readChecks, readContract } from '@understudy/core/contract/documents';
import { schemaAt } from '@understudy/core/scenarios/breaches';
import type { Path } from '@understudy/core/scenarios/path';
import { COLLECTIONS, TABLES } from '@understudy/core/state/schema';
import { isObject } from '@understudy/text/json';
import type { SeenCall } from './runs/seen.ts';

/** Where a failure can be: at one call of an operation, or at one delivery of an event. */
export interface Target {
  /** What rules listen to: an operation, or `webhook.` and the type of an event. */
  operation: string;
  /** How many calls of the operation, or deliveries of the event, come before. */
  nth: number;
  /** The call in the first run; absent for an event. */
  call?: SeenCall;
  event?: string;
  /** Another event follows. */
  hasLaterEvent: boolean;
  issuesTokens: boolean;
  /** A list with more than one item, whose size the caller leaves to the service. */
  isPagedList: boolean;
  isJson: boolean;
  status?: EnumValue;
  row?: NamedRow;
}

/** A value of an enum in the answer. */
interface EnumValue {
  /** What changes the answer to another value. */
  patch: (value: string) => object;
  /** Another known value. */
  other?: string;
}

/** The row that the path names, with a text that people can change. */
interface NamedRow {
  collection: string;
  id: string;
  field?: string;
}

const NAMES = ['display_name', 'name', 'description'];

/** Reads what the contract says about calls. */
export class Targets {
  readonly #service = contractOf('openapi');
  readonly #rows = contractOf('control');

  ofEvent(event: string, nth: number, hasLaterEvent: boolean): Target {
    const nothing = { issuesTokens: false, isPagedList: false, isJson: false };
    return { operation: `webhook.${event}`, event, nth, hasLaterEvent, ...nothing };
  }

  ofCall(call: SeenCall, nth: number): Target {
    const { operation, answer, query } = call;
    const list =
      isObject(answer) && 'next_page_token' in answer ? Object.values(answer).find(Array.isArray) : undefined;
    const hasSize = Number(query['page_size'] ?? 0) > 0;
    const status = this.#enumValue(call);
    const row = this.#row(call);
    return {
      operation,
      nth,
      call,
      hasLaterEvent: false,
      issuesTokens: isObject(answer) && ('access_token' in answer || 'id_token' in answer),
      isPagedList: (list?.length ?? 0) > 1 && !hasSize,
      isJson: isObject(answer),
      ...(status && { status }),
      ...(row && { row }),
    };
  }

  /** A member called status is the most telling one. */
  #enumValue({ operation, status = 0, answer }: SeenCall): EnumValue | undefined {
    const { content = {} } = this.#service.operation(operation)?.responses[status] ?? {};
    const schema = content[jsonTypeIn(content) ?? '']?.schema;
    if (!schema) return undefined;
    const found = [...enumsIn(answer, [], (path) => schemaAt(path, schema, this.#service))];
    const best = found.find(({ path }) => /status|state/i.test(String(path.at(-1)))) ?? found[0];
    if (!best) return undefined;
    const patch = (value: string) =>
      best.path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
    const other = best.values.findLast((each) => each !== best.value && !/UNSPECIFIED/.test(each));
    return { patch, ...(other !== undefined && { other }) };
  }

  #row({ operation, path }: SeenCall): NamedRow | undefined {
    const found = this.#service.operation(operation);
    const [id, name] = (found && parameterIn(found, path)) ?? [];
    if (id === undefined) return undefined;
    const prefix = /^[a-z]+_/.exec(id)?.[0];
    const collection = COLLECTIONS.find((each) => prefix !== undefined && this.#prefixOf(each) === prefix);
    if (collection === undefined) return undefined;
    const { properties = {} } = schemaAt(
      [],
      this.#rows.schemaNamed(TABLES[collection].schema) ?? {},
      this.#rows,
    );
    const field = NAMES.find((each) => each in properties);
    return { collection, id: `\${path.${name}}`, ...(field !== undefined && { field }) };
  }

  #prefixOf(collection: (typeof COLLECTIONS)[number]): string | undefined {
    const { pattern } = schemaAt(['id'], this.#rows.schemaNamed(TABLES[collection].schema) ?? {}, this.#rows);
    return /^\^([a-z]+_)/.exec(pattern ?? '')?.[1];
  }
}

const contractOf = (name: 'openapi' | 'control') =>
  new Contract(
    () => readContract(name),
    () => readChecks(name),
  );

/** The last parameter of the path, with its name. */
function parameterIn({ path: template }: Operation, path: string): [string, string] | undefined {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const pattern = new RegExp(
    `^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '([^/]+)')}$`,
  );
  const values = pattern.exec(path.split('?')[0]!)?.slice(1);
  return values && names.length > 0 ? [values.at(-1)!, names.at(-1)!] : undefined;
}

interface FoundEnum {
  path: string[];
  value: string;
  values: string[];
}

/** The values of enums in an answer that a merge patch can change. */
function* enumsIn(value: unknown, path: string[], schemaOf: (path: Path) => Schema): Generator<FoundEnum> {
  if (isObject(value))
    for (const [name, member] of Object.entries(value)) yield* enumsIn(member, [...path, name], schemaOf);
  if (typeof value !== 'string' || path.length === 0) return;
  const values = (schemaOf(path).enum ?? []).filter((each): each is string => typeof each === 'string');
  if (values.length > 0) yield { path, value, values };
}
