import { unchecked, type Duration } from '../client/control.ts';
import type { ToolContext } from './service.ts';

/** A JSON Schema, or part of one. */
export type Schema = Record<string, unknown>;

/** What a tool answers: data for programs, and the same in words for models. */
export interface ToolOutput {
  text: string;
  data: Record<string, unknown>;
}

export interface AgentTool {
  name: string;
  title: string;
  description: string;
  /** The arguments by name. A `FromControl` is described by the document of the control API. */
  input: Readonly<Record<string, Schema | FromControl>>;
  required: readonly string[];
  output: Schema;
  hints: ToolHints;
  /** Whether the tool works on one environment, which `environment` then names. */
  ofEnvironment: boolean;
  run: (args: Record<string, unknown>, context: ToolContext) => Promise<ToolOutput>;
}

interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: false;
}

/** An argument that is the parameter of this name, or the body's member of this name, of a control operation. */
export class FromControl {
  readonly operation: string;
  readonly member: string | undefined;
  readonly overrides: Schema;

  constructor(operation: string, member: string | undefined, overrides: Schema) {
    this.operation = operation;
    this.member = member;
    this.overrides = overrides;
  }
}

/** `overrides` replace keywords of the schema, such as its description. */
export const from = (operation: string, overrides: Schema = {}, member?: string): FromControl =>
  new FromControl(operation, member, overrides);

const CLOSED = { openWorldHint: false } as const;

export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  ...CLOSED,
};
/** Adds or moves something; nothing gets lost. */
export const ADDS: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  ...CLOSED,
};
/** A repeated call changes nothing more. */
export const SETS: ToolHints = { ...ADDS, idempotentHint: true };
/** Rows, records or files get lost. */
export const REMOVES: ToolHints = { ...SETS, destructiveHint: true };

interface ToolPlan<Args> {
  name: string;
  title: string;
  description: string;
  input?: AgentTool['input'];
  required?: readonly (keyof Args & string)[];
  output: Record<string, Schema>;
  hints: ToolHints;
  ofEnvironment?: boolean;
  run: (args: Args, context: ToolContext) => Promise<ToolOutput>;
}

/** The arguments are checked before `run` gets them, hence the cast. */
export function tool<Args extends object>(plan: ToolPlan<Args>): AgentTool {
  const { input = {}, required = [], output, ofEnvironment = true, run } = plan;
  return {
    ...plan,
    input,
    required,
    ofEnvironment,
    output: { type: 'object', properties: output, required: Object.keys(output).filter(isNeeded) },
    run: run as unknown as AgentTool['run'],
  };

  function isNeeded(name: string): boolean {
    return output[name]?.['x-optional'] !== true;
  }
}

export const TEXT: Schema = { type: 'string' };
export const COUNT: Schema = { type: 'integer' };
export const OBJECT: Schema = { type: 'object' };
export const LIST: Schema = { type: 'array', items: { type: 'object' } };
export const TEXTS: Schema = { type: 'array', items: { type: 'string' } };
export const optional = (schema: Schema): Schema => ({ ...schema, 'x-optional': true });

export interface WaitArguments {
  wait?: string;
  count?: number;
}

export const WAIT: Schema = {
  type: 'string',
  description:
    'How long to wait, in real time, if nothing matches yet, such as 5s; at most 5m. The clock of the environment does not matter.',
};

export const COUNT_TO_WAIT_FOR: Schema = {
  type: 'integer',
  minimum: 1,
  description: 'How many must match. Waits for 4s unless `wait` says otherwise.',
};

interface Waiting {
  count: number;
  options: { timeout?: Duration; signal: AbortSignal };
}

/** Undefined if the caller does not want to wait. */
export function waiting(
  { wait, count }: { wait?: string | undefined; count?: number | undefined },
  signal: AbortSignal,
): Waiting | undefined {
  if (wait === undefined && count === undefined) return undefined;
  return {
    count: count ?? 1,
    options: { signal, ...(wait !== undefined && { timeout: unchecked(wait) as unknown as Duration }) },
  };
}
