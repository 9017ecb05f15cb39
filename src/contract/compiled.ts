import type { ErrorShape } from '../errors.ts';

/** A JSON Schema as far as we look into it ourselves. Names of other schemas are written `schema:Name`. */
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
  'x-free-json'?: boolean;
  /** The service does not tell an absent value from an empty one: what is broken is the rule of the empty one. */
  'x-implicit'?: boolean;
  /** What a pattern asks for, in words and with an example, for whoever has written something else. */
  'x-wanted'?: string;
}

export type Content = Record<string, { schema: Schema }>;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

/** One operation of the contract; `base` is its name without the number of a further binding. */
export interface Operation {
  id: string;
  base: string;
  /** What the service sends of itself, and to whom; absent: others call it. */
  sent?: 'webhook' | 'interceptor';
  method: string;
  path: string;
  status: number;
  secured: boolean;
  /** Whose tokens are good for it; absent: clients' alone. */
  callers?: ('client' | 'user')[];
  /** Known, and answered 501. */
  later?: boolean;
  bodyField?: string;
  /** The path's last variable takes in the rest of the path; query, body and answer are what they are. */
  open?: boolean;
  errorShape: ErrorShape;
  parameters: Parameter[];
  /** Names of the cookies that it reads. */
  cookies?: string[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

/** What the document says of a status; of an open operation, of any. */
export const responseOf = ({ responses }: Operation, status: number) =>
  responses[status] ?? responses['default'];

const REDIRECTS = [302, 303];

/** The status as this binding says it: one and the same redirect is a 302 after a GET, and a 303 after a form. */
export const statusAt = (operation: Operation, status: number): number =>
  REDIRECTS.includes(status) && !responseOf(operation, status)
    ? (REDIRECTS.find((other) => responseOf(operation, other)) ?? status)
    : status;

/** What `npm run generate` makes of an OpenAPI document: nothing left to resolve when the program starts. */
export interface CompiledContract {
  version: string;
  operations: Operation[];
  /** What the service sends of itself: the document's webhooks. Their path is the name there. */
  messages: Operation[];
  schemas: Record<string, Schema>;
}
