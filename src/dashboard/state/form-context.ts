import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FieldViolation } from '../../client/control.ts';
import { RowSchemas, type Schema } from './row-schema.ts';

/** What every field of a row's form knows. */
export interface FormContext {
  schemas: RowSchemas;
  violations: readonly FieldViolation[];
  /** The time of the environment in milliseconds; undefined until it is known. */
  now: number | undefined;
}

export const Form = createContext<FormContext>({
  schemas: new RowSchemas({}),
  violations: [],
  now: undefined,
});

export interface FieldProps {
  /** The member's name, or the place in a list. */
  name: string;
  /** As the server writes it: `settings.features[0].name`. */
  path: string;
  schema: Schema;
  value: unknown;
  isRequired: boolean;
  /** An element of a list, which the list removes. */
  isElement?: boolean;
  /** `undefined` removes the member. */
  onChange: (value: unknown) => void;
}

/** What the server says about this field alone. */
export const useComplaints = (path: string): string[] =>
  useContext(Form)
    .violations.filter(({ field }) => field === path)
    .map(({ description }) => description);

export const pathOf = (parent: string, step: string | number): string =>
  typeof step === 'number' ? `${parent}[${step}]` : parent === '' ? step : `${parent}.${step}`;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
