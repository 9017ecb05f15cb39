import {
  isEmpty,
  pageOf,
  onlyReference,
  responseOf,
  type CompiledContract,
  type Operation,
  type Response,
} from './compiled.ts';
import type { PrecompiledChecks, SchemaCheck } from './precompiled-checks.ts';
import { ValidationLibrary, type RawRequest } from './validation-library.ts';
import { withErrors, type AjvError, type Complaint } from './violations.ts';

interface RequestChecks {
  /** The media type of the requests that the checks are for. */
  contentType: string;
  all: readonly SchemaCheck[];
}

interface ResponseCheck {
  isGood(body: unknown): boolean;
  complaints(body: unknown): readonly Complaint[];
}

const NONE: readonly never[] = [];

/**
 * Checks with the functions that the build has compiled. The library, whose loading takes a fifth of the start, says what
 * is wrong, and checks what is not compiled.
 */
export class Validators {
  readonly #compiled: CompiledContract;
  readonly #precompiled: PrecompiledChecks | undefined;
  #loaded: ValidationLibrary | undefined;
  /** For requests without a query. */
  readonly #requestChecks = new Map<Operation, RequestChecks>();
  readonly #responseChecks = new Map<Operation, Map<number, ResponseCheck>>();

  constructor(compiled: CompiledContract, precompiled: PrecompiledChecks | undefined) {
    this.#compiled = compiled;
    this.#precompiled = precompiled;
  }

  /** Converts query and path values to the declared types, in place. */
  request(operation: Operation, raw: RawRequest): readonly Complaint[] {
    // Without a query, the library only checks, and preparing the request for it costs more than the checks.
    const known = raw.url.includes('?') ? undefined : this.#knownChecks(operation, raw);
    if (known?.every((isGood) => isGood(raw))) return NONE;
    const complaints = this.#library.request(operation, raw);
    if (complaints.length > 0) return withErrors(complaints, this.#requestErrors(operation, raw));
    if (isPlain(operation)) this.#rememberChecks(operation, raw);
    return NONE;
  }

  #knownChecks(operation: Operation, { contentType }: RawRequest): readonly SchemaCheck[] | undefined {
    const known = this.#requestChecks.get(operation);
    if (known?.contentType === contentType) return known.all;
    const all = this.#precompiled?.request(operation, contentType);
    if (all) this.#requestChecks.set(operation, { contentType, all });
    return all;
  }

  #rememberChecks(operation: Operation, raw: RawRequest): void {
    const all = this.#library.requestChecks(operation, raw);
    if (all.length !== 2) return; // parameters and body
    this.#requestChecks.set(operation, { contentType: raw.contentType, all });
  }

  /** Errors of the latest check, in the order of the complaints. */
  #requestErrors(operation: Operation, raw: RawRequest): AjvError[] {
    return this.#library.requestChecks(operation, raw).flatMap(({ errors }) => errors ?? []);
  }

  /** How the body breaks the document's response for this status. */
  response(operation: Operation, status: number, body: unknown): readonly Complaint[] {
    const check = this.#responseChecks.get(operation)?.get(status) ?? this.#checkResponse(operation, status);
    return check.isGood(body) ? NONE : check.complaints(body);
  }

  /** Built at first use. */
  #checkResponse(operation: Operation, status: number): ResponseCheck {
    const checks = this.#responseChecks.get(operation) ?? new Map<number, ResponseCheck>();
    this.#responseChecks.set(operation, checks);
    const check = this.#responseCheckOf(operation, status);
    checks.set(status, check);
    return check;
  }

  #responseCheckOf(operation: Operation, status: number): ResponseCheck {
    const declared = responseOf(operation, status);
    if (!declared) return refusal('', `no schema defined for status code ${status}`, () => false);
    if (isEmpty(declared)) return refusal('/response', 'must be absent', (body) => body === undefined);
    const page = pageOf(declared);
    if (page === 'only')
      return refusal(
        '/response',
        'must be a string, because the response is a page',
        (body) => typeof body === 'string',
      );
    const check = this.#jsonCheck(operation, status, declared);
    if (page === undefined) return check;
    const isText = (body: unknown) => typeof body === 'string';
    return {
      isGood: (body) => isText(body) || check.isGood(body),
      complaints: (body) => (isText(body) ? [] : check.complaints(body)),
    };
  }

  #jsonCheck(operation: Operation, status: number, declared: Response): ResponseCheck {
    const ofLibrary = () => this.#library.response(operation, status, declared);
    const isValid =
      this.#precompiled?.response(responseKey(operation, status, declared)) ?? ofLibrary().check;
    return {
      // Faster than the library, which parses the media types each time.
      isGood: (body) => body != null && isValid?.({ response: body }) === true,
      complaints: (body) => ofLibrary().complaints(body),
    };
  }

  /** Complaints about a value by a schema of the document. */
  schema(name: string, value: unknown): Complaint[] {
    const check = this.#precompiled?.schema(name) ?? this.#library.schema(name);
    if (check(value)) return [];
    return (check.errors ?? []).map(({ instancePath, message = '', keyword, params }) => ({
      path: instancePath,
      message:
        keyword === 'additionalProperties'
          ? `has no member ${String(params['additionalProperty'])}`
          : message,
      errorCode: keyword,
    }));
  }

  get #library(): ValidationLibrary {
    return (this.#loaded ??= new ValidationLibrary(this.#compiled));
  }
}

/** The name of a check of responses. Responses that are one named schema, such as all errors, share it. */
export const responseKey = ({ id }: Operation, status: number, declared: Response): string =>
  onlyReference(declared) ?? `${id} ${status}`;

const refusal = (path: string, message: string, isGood: (body: unknown) => boolean): ResponseCheck => ({
  isGood,
  complaints: () => [{ path, message }],
});

/**
 * Whether the library changes nothing of a request without a query, except by the types that the checks convert. The checks
 * would convert headers in place.
 */
export const isPlain = ({ parameters }: Operation) =>
  parameters.every(({ in: place, schema: { type } }) =>
    place === 'header' ? type === 'string' : PLAIN_TYPES.includes(String(type)),
  );

const PLAIN_TYPES = ['string', 'integer', 'number', 'boolean'];
