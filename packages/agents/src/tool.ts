import { unchecked, type Duration } from '@understudy/client/control';
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
  description: string;
  /** The arguments by name. A `FromControl` is described by the document of the control API. */
  input: Readonly<Record<string, Schema | FromControl>>;
  required: readonly string[];
  hints: ToolHints;
  /** Whether the tool works on one environment, which `environment` then names. */
  ofEnvironment: boolean;
  run: (args: Record<string, unknown>, context: ToolContext) => Promise<ToolOutput>;
}

/** What differs from the protocol's defaults. */
interface ToolHints {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
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

/** Stands for the description of an argument whose name says enough. */
export const NONE = '';

export const READS: ToolHints = { readOnlyHint: true };
/** Nothing gets lost. */
export const ADDS: ToolHints = { destructiveHint: false };
/** Rows, records or files get lost. */
export const REMOVES: ToolHints = { destructiveHint: true };

interface ToolPlan<Args> {
  name: string;
  description: string;
  input?: AgentTool['input'];
  required?: readonly (keyof Args & string)[];
  hints: ToolHints;
  ofEnvironment?: boolean;
  run: (args: Args, context: ToolContext) => Promise<ToolOutput>;
}

/** The arguments are checked before `run` gets them, hence the cast. */
export function tool<Args extends object>(plan: ToolPlan<Args>): AgentTool {
  const { input = {}, required = [], ofEnvironment = true, run } = plan;
  return { ...plan, input, required, ofEnvironment, run: run as unknown as AgentTool['run'] };
}

export const OBJECT: Schema = { type: 'object' };

export interface WaitArguments {
  wait?: string;
  count?: number;
}

export const WAIT: Schema = { type: 'string', description: 'In real time, at most 5m: 5s' };

export const COUNT_TO_WAIT_FOR: Schema = { type: 'integer', minimum: 1 };

interface Waiting {
  count: number;
  options: { timeout: Duration | undefined; signal: AbortSignal };
}

/** Undefined if the caller does not want to wait. */
export function waiting(
  { wait, count }: { wait?: string | undefined; count?: number | undefined },
  signal: AbortSignal,
): Waiting | undefined {
  if (wait === undefined && count === undefined) return undefined;
  return {
    count: count ?? 1,
    options: { signal, timeout: wait === undefined ? undefined : (unchecked(wait) as unknown as Duration) },
  };
}
