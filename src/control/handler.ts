import type { ControlId, ControlInput, ControlOutput } from '../contract/types.ts';
import type { Environment } from '../environments/environment.ts';
import type { Stream, Text } from './answers.ts';
import type { Controls } from './serve.ts';

export interface ControlContext extends Controls {
  /** The environment that the call is about. */
  environment: Environment;
  baseUrl: string;
  /** Media types that the caller would like. */
  accept: string;
  /** The body as it was written; empty when none was. */
  bodyText: string;
  /** Aborts when the caller no longer waits for the answer. */
  signal: AbortSignal;
}

type ControlHandler<K extends ControlId> = (
  input: ControlInput<K>,
  context: ControlContext,
) => Answer<K> | Promise<Answer<K>>;

type Answer<K extends ControlId> = ControlOutput<K> | Text | Stream;

export type ControlOperations = { [K in ControlId]: ControlHandler<K> };
