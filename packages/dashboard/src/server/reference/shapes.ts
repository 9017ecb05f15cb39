import type { Evidence } from '@understudy/client/evidence';

/** The document of the service, or that of the control API. */
export type DocumentName = 'service' | 'control';

/** What lists and searches need of an operation. */
export interface IndexedOperation {
  id: string;
  document: DocumentName;
  tag: string;
  summary: string;
  method: string;
  path: string;
  /** The names of its parameters and fields, then the words of its description. */
  words: string;
}

export interface ReferenceIndex {
  operations: IndexedOperation[];
  /** What each tag stands for, in the order of the documents. */
  tags: Record<string, string>;
}

/** The members of JSON Schema that the contract uses. */
export interface SchemaPart {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, SchemaPart>;
  required?: string[];
  items?: SchemaPart;
  additionalProperties?: boolean | SchemaPart;
  anyOf?: SchemaPart[];
  oneOf?: SchemaPart[];
  allOf?: SchemaPart[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

export interface ParameterPart {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  description?: string;
  schema?: SchemaPart;
  example?: unknown;
}

export interface MediaPart {
  schema?: SchemaPart;
  example?: unknown;
  examples?: Record<string, { value?: unknown; summary?: string }>;
}

export interface BodyPart {
  description?: string;
  required?: boolean;
  content?: Record<string, MediaPart>;
}

/** Which RPC it is, and the methods of the official SDKs that call it: `user.getUser(userId, options?)`. */
export interface SdkMethods {
  rpc: string;
  node?: string;
  python?: string;
}

/** One operation, with every schema that it leads to. References to other components are resolved. */
export interface ReferenceOperation {
  id: string;
  document: DocumentName;
  tag: string;
  summary: string;
  description: string;
  /** The first is the usual one. */
  addresses: { method: string; path: string }[];
  /** Whether a call needs a token. */
  secured: boolean;
  parameters: ParameterPart[];
  body?: BodyPart;
  responses: Record<string, BodyPart>;
  evidence?: Evidence;
  sdk?: SdkMethods;
  schemas: Record<string, SchemaPart>;
}

/** One schema, with every schema that it leads to. */
export interface ReferenceSchema {
  name: string;
  document: DocumentName;
  schemas: Record<string, SchemaPart>;
}
