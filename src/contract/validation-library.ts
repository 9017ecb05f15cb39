import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import {
  isJson,
  onlyReference,
  type CompiledContract,
  type Operation,
  type Response,
  type Schema,
} from './compiled.ts';
import { FORMATS, type SchemaCheck } from './precompiled-checks.ts';
import { boundErrors, type Complaint } from './violations.ts';

/** A compiler for schemas that refer to others. */
interface SchemaTaker {
  addSchema(schema: Schema, name: string): void;
}

const NAMES = /"\$ref":"schema:([^"]+)"/g;

/** Passes named schemas to the compilers at their first use, so that the start pays for none. */
export class SchemaCache {
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #takers: readonly SchemaTaker[];
  readonly #supplied = new Set<string | Operation>();

  constructor(schemas: Readonly<Record<string, Schema>>, takers: readonly SchemaTaker[]) {
    this.#schemas = schemas;
    this.#takers = takers;
  }

  supply(operation: Operation): void {
    if (this.#supplied.has(operation)) return;
    this.#supplied.add(operation);
    this.#supplyAll(operation);
  }

  supplyNamed(name: string): void {
    const schema = this.#schemas[name];
    if (!schema || this.#supplied.has(name)) return;
    this.#supplied.add(name);
    for (const taker of this.#takers) taker.addSchema(schema, `schema:${name}`);
    this.#supplyAll(schema);
  }

  #supplyAll(naming: object): void {
    for (const [, name] of JSON.stringify(naming).matchAll(NAMES)) this.supplyNamed(name!);
  }
}

export interface RawRequest {
  method: string;
  url: string;
  contentType: string;
  params: Record<string, string>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  body: unknown;
}

interface Ajv extends SchemaTaker {
  addFormat(name: string, format: object): unknown;
  getSchema(name: string): SchemaCheck | undefined;
}

/** Options of both validators; only requests get defaults. */
const OPTIONS = {
  strict: false,
  validateSchema: false,
  meta: false,
  validateFormats: true,
  inlineRefs: false,
  addUsedSchema: false,
  logger: false,
  formats: {},
  ajvFormats: {},
} as const;

const ALL_ERRORS = { allErrors: true, code: { process: boundErrors } };

/** An empty document: operations are passed with each request. */
const emptyDocument = () => ({
  openapi: '3.1.1',
  info: { title: '', version: '' },
  paths: {},
  components: {},
});

/**
 * The two validators of express-openapi-validator, called directly: each operation is compiled at its first use and
 * each schema only once. The package's middleware would compile the whole document before the first answer. The
 * package is pinned because these members are not its public API.
 */
export class ValidationLibrary {
  readonly #requests: RequestValidator;
  readonly #responses: ResponseValidator;
  readonly #requestAjvs: readonly Ajv[];
  readonly #schemas: Ajv;
  readonly #cache: SchemaCache;

  /** `options` of the compiler; by default, the checks find all errors. */
  constructor({ schemas }: CompiledContract, options: object = ALL_ERRORS) {
    const requestOptions = { ...OPTIONS, ...options, useDefaults: true, allowUnknownQueryParameters: true };
    this.#requests = new RequestValidator(emptyDocument() as never, requestOptions as never);
    this.#responses = new ResponseValidator(
      emptyDocument() as never,
      { ...OPTIONS, ...options } as never,
      {},
      0,
    );
    const { ajv, ajvBody } = this.#requests as unknown as { ajv: Ajv; ajvBody: Ajv };
    this.#requestAjvs = [ajv, ajvBody];
    this.#schemas = (this.#responses as unknown as { ajvBody: Ajv }).ajvBody;
    const ajvs = [ajv, ajvBody, this.#schemas];
    for (const each of ajvs) each.addFormat('date-time', FORMATS['date-time']);
    this.#cache = new SchemaCache(schemas, ajvs);
  }

  /** Converts query and path values to the declared types, in place. */
  request(operation: Operation, raw: RawRequest): Complaint[] {
    this.#cache.supply(operation);
    const request = {
      method: raw.method,
      originalUrl: raw.url,
      headers: { ...raw.headers, 'content-type': raw.contentType },
      params: raw.params,
      query: raw.query,
      body: raw.body,
      openapi: {
        expressRoute: operation.id,
        openApiRoute: operation.id,
        pathParams: raw.params,
        schema: operation,
      },
    };
    return complaintsOf(() => this.#requests.validate(request as never, {} as never, () => {}));
  }

  /** The checks of parameters and body that the library has compiled. The key is that of the library. */
  requestChecks({ id }: Operation, { method, contentType }: RawRequest): SchemaCheck[] {
    const key = `${method}-${id}-${contentType || 'not_provided'}`;
    return this.#requestAjvs.flatMap((ajv) => ajv.getSchema(key) ?? []);
  }

  /** Responses that are one named schema, such as all errors, share a check. */
  response(operation: Operation, status: number, declared: Response) {
    this.#cache.supply(operation);
    const shared = onlyReference(declared);
    const expressRoute = shared ? `/${shared.replace(':', '/')}` : `/${operation.id}/${status}`;
    const key = { method: 'GET', headers: {}, openapi: { expressRoute } };
    const statusCode = shared ? 200 : status;
    const responses = { [statusCode]: declared };
    const validators = this.#responses._getOrBuildValidator(key as never, responses as never);
    const byType = validators[statusCode] as unknown as Record<string, SchemaCheck> | undefined;
    const type = Object.keys(byType ?? {}).find(isJson);
    const known = { validators, statusCode, path: operation.id, accepts: type === undefined ? [] : [type] };
    return {
      check: type === undefined ? undefined : byType?.[type],
      complaints: (body: unknown) =>
        complaintsOf(() => this.#responses._validate({ ...known, body: body as never })),
    };
  }

  /** The check of a named schema of the document. */
  schema(name: string): SchemaCheck {
    this.#cache.supplyNamed(name);
    const check = this.#schemas.getSchema(`schema:${name}`);
    if (!check) throw new Error(`the document has no schema ${name}`);
    return check;
  }
}

function complaintsOf(check: () => void): Complaint[] {
  try {
    check();
    return [];
  } catch (thrown) {
    const { errors, message, status } = thrown as { errors?: Complaint[]; message: string; status?: number };
    if (status === undefined) throw thrown;
    return errors ?? [{ path: '/', message }];
  }
}
