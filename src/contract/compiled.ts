import type { DialectName } from './names.gen.ts';

/** The parts of JSON Schema that our own code reads. References are written `schema:Name`. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  enum?: unknown[];
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  /** Members with such names are free JSON: they are kept as they were sent. */
  patternProperties?: Record<string, Schema>;
  'x-free-json'?: boolean;
  /** The names of members count in any letter case, as in SCIM (RFC 7643 2.1). */
  'x-any-case'?: boolean;
  /** The service treats an absent value as an empty one, so the rule for the empty value is broken. */
  'x-implicit'?: boolean;
  /** What the pattern demands, in words and with an example, for error messages. */
  'x-wanted'?: string;
  /** A form that the service documents and does not check: a value of another form is taken with a warning. */
  'x-format'?: 'e164' | 'bcp47' | 'uri';
  /** What a new row has where its author leaves the member out. */
  'x-defaults'?: Record<string, unknown>;
}

type Content = Record<string, { schema: Schema }>;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

/**
 * A value in which a call carries its environment (`x-environment` in the document): an id, link or cookie that starts
 * with the environment's name; a token that names it; the id or the secret of a client; or the name itself.
 */
export interface EnvironmentMark {
  in: 'path' | 'query' | 'body' | 'cookie';
  name: string;
  as: 'code' | 'token' | 'client' | 'name';
}

/** One operation of the contract; `base` is its name without the number of a further path. */
export interface Operation {
  id: string;
  base: string;
  /** What it does, such as `List organizations`; absent for messages. */
  title?: string;
  /** For messages that the service sends: to whom. Absent for operations. */
  sent?: 'webhook' | 'interceptor';
  method: string;
  path: string;
  status: number;
  secured: boolean;
  /** Whose tokens are accepted; absent: clients only. */
  callers?: ('client' | 'user' | 'portal')[];
  bodyField?: string;
  /** Another RPC that does the same, by the name of its service and its method. */
  otherRpc?: string;
  /** The path's last variable takes the rest of the path; query, body and answer are not checked. */
  open?: boolean;
  dialect: DialectName;
  /** The answer can have a secret, so it must not be cached. */
  uncached?: boolean;
  parameters: Parameter[];
  /** Names of the cookies that the operation reads. */
  cookies?: string[];
  /** The first value that a call has decides; absent: its calls carry none. */
  environment?: EnvironmentMark[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

export type Response = Operation['responses'][string];

/** The declared response for a status; open operations have one for all. */
export const responseOf = ({ responses }: Operation, status: number) =>
  responses[status] ?? responses['default'];

export const isEmpty = ({ content = {} }: Response) => Object.keys(content).length === 0;

/** `only`: what pages alone answer; `also`: programs get JSON instead. */
export const pageOf = ({ content = {} }: Response): 'only' | 'also' | undefined =>
  'text/html' in content ? (Object.keys(content).length > 1 ? 'also' : 'only') : undefined;

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/;

/** Whether bodies of the media type are JSON, such as those of `application/scim+json`. */
export const isJson = (mediaType: string): boolean => JSON_TYPE.test(mediaType);

/** The media type of the content that is JSON. */
export const jsonTypeIn = (content: Content = {}): string | undefined => Object.keys(content).find(isJson);

/** The named schema that a response consists of, as `schema:Name`. */
export function onlyReference({ content = {} }: Response): string | undefined {
  const [only, ...others] = Object.values(content);
  return others.length === 0 ? only?.schema.$ref : undefined;
}

const REDIRECTS = [302, 303];

/** The same redirect is a 302 after a GET and a 303 after a form. */
export const statusAt = (operation: Operation, status: number): number =>
  REDIRECTS.includes(status) && !responseOf(operation, status)
    ? (REDIRECTS.find((other) => responseOf(operation, other)) ?? status)
    : status;

/** What `npm run generate` compiles from an OpenAPI document. */
export interface CompiledContract {
  /** Changes with everything else here. */
  digest: string;
  version: string;
  operations: Operation[];
  /** The document's webhooks; `path` is the name there. */
  messages: Operation[];
  schemas: Record<string, Schema>;
}
