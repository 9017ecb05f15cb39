import type { ControlId, ControlInput, ControlOutput } from '../contract/types.ts';
import type { Environment } from '../environments/environment.ts';
import type { Controls } from './serve.ts';

export interface ControlContext extends Controls {
  /** The environment that the call is about. */
  environment: Environment;
  baseUrl: string;
}

type ControlHandler<K extends ControlId> = (
  input: ControlInput<K>,
  context: ControlContext,
) => ControlOutput<K> | Promise<ControlOutput<K>>;

export type ControlOperations = { [K in ControlId]: ControlHandler<K> };
