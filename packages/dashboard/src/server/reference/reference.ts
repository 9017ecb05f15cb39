import { wholeEvidence } from '@understudy/client/evidence';
import { isObject } from '@understudy/text/json';
import { ComponentsOf, type Components } from './components.ts';
import type {
  BodyPart,
  DocumentName,
  IndexedOperation,
  ParameterPart,
  ReferenceIndex,
  ReferenceOperation,
  ReferenceSchema,
  SchemaPart,
  SdkMethods,
} from './shapes.ts';

const VERBS = ['get', 'put', 'post', 'delete', 'patch'];

interface WrittenOperation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: ParameterPart[];
  requestBody?: BodyPart;
  responses: Record<string, BodyPart>;
  'x-evidence'?: Parameters<typeof wholeEvidence>[1];
  'x-sdk'?: SdkMethods;
}

type PathItem = Record<string, WrittenOperation> & { parameters?: ParameterPart[] };

interface WrittenDocument {
  security?: object[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, PathItem>;
  components: Components;
}

interface Found {
  document: DocumentName;
  method: string;
  path: string;
  operation: WrittenOperation;
  shared: readonly ParameterPart[];
  /** The other paths of the same operation. */
  others: { method: string; path: string }[];
}

/** The documents of the service and of the control API in small pieces, for pages that show one operation at a time. */
export class Reference {
  readonly #documents: Record<DocumentName, WrittenDocument>;
  readonly #components: Record<DocumentName, ComponentsOf>;
  readonly #operations = new Map<string, Found>();
  #index: ReferenceIndex | undefined;

  constructor(service: object, control: object) {
    this.#documents = { service: service as WrittenDocument, control: control as WrittenDocument };
    const { service: ofService, control: ofControl } = this.#documents;
    this.#components = {
      service: new ComponentsOf(ofService.components),
      control: new ComponentsOf(ofControl.components),
    };
    for (const name of ['service', 'control'] as const) this.#collect(name);
  }

  #collect(document: DocumentName): void {
    for (const [path, item] of Object.entries(this.#documents[document].paths))
      for (const verb of VERBS) {
        const operation = item[verb];
        if (!operation) continue;
        const method = verb.toUpperCase();
        const id = operation.operationId.replace(/\d+$/, '');
        const first = this.#operations.get(id);
        if (first) first.others.push({ method, path });
        else
          this.#operations.set(id, {
            document,
            method,
            path,
            operation,
            shared: item.parameters ?? [],
            others: [],
          });
      }
  }

  index(): ReferenceIndex {
    return (this.#index ??= this.#makeIndex());
  }

  #makeIndex(): ReferenceIndex {
    const tags = Object.values(this.#documents).flatMap((document) => document.tags ?? []);
    return {
      operations: Array.from(this.#operations, ([id, found]) => this.#indexed(id, found)),
      tags: Object.fromEntries(tags.map(({ name, description = '' }) => [name, description])),
    };
  }

  #indexed(id: string, found: Found): IndexedOperation {
    const { document, method, path, operation } = found;
    const { tags: [tag = ''] = [], summary = '', description = '' } = operation;
    const components = this.#components[document];
    const successes = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
    const shown = [operation.requestBody, ...successes.map(([, response]) => response)];
    const fields = components.fieldsOf(shown);
    const parameters = this.#parametersOf(found, components).map(({ name }) => name);
    const prose = description.toLowerCase().match(/[a-z]{3,}/g) ?? [];
    const words = [...new Set([...parameters, ...fields, ...prose])].join(' ');
    return { id, document, tag, summary, method, path, words };
  }

  /** Undefined: there is no such operation. `decided`: the rules that decided a call of it. */
  operation(id: string, decided: readonly string[] = []): ReferenceOperation | undefined {
    const found = this.#operations.get(id);
    if (!found) return undefined;
    const { document, method, path, operation, others } = found;
    const { tags: [tag = ''] = [], summary = '', description = '', requestBody } = operation;
    const components = this.#components[document];
    const parameters = this.#parametersOf(found, components);
    const body = requestBody && components.body(requestBody);
    const responses = Object.fromEntries(
      Object.entries(operation.responses).map(([status, each]) => [status, components.body(each)]),
    );
    const { 'x-evidence': written, 'x-sdk': sdk } = operation;
    const evidence = written && wholeEvidence(this.#documents[document], written, decided);
    return {
      id,
      document,
      tag,
      summary,
      description,
      secured: this.#isSecured(found),
      addresses: [{ method, path }, ...others],
      parameters,
      responses,
      ...(body && { body }),
      ...(evidence && { evidence }),
      ...(sdk && { sdk }),
      schemas: components.schemasFor([parameters, body, responses]),
    };
  }

  /** Undefined: there is no such schema. */
  schema(document: string, name: string): ReferenceSchema | undefined {
    if (document !== 'service' && document !== 'control') return undefined;
    const components = this.#components[document];
    const $ref = `#/components/schemas/${name}`;
    const schemas: Record<string, SchemaPart> = components.schemasFor([{ $ref }]);
    return Object.hasOwn(schemas, name) ? { name, document, schemas } : undefined;
  }

  #parametersOf({ shared, operation }: Found, components: ComponentsOf): ParameterPart[] {
    return [...shared, ...(operation.parameters ?? [])].map((each) => components.resolve(each));
  }

  #isSecured({ document, operation }: Found): boolean {
    const { security = this.#documents[document].security ?? [] } = operation;
    return (
      security.length > 0 && security.every((scheme) => isObject(scheme) && Object.keys(scheme).length > 0)
    );
  }
}
