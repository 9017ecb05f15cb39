import type { FieldViolation } from './errors.ts';
import type { Schema } from './compiled.ts';

/** A value that is not in the form that the service documents. The service takes it all the same. */
export interface LooseValue {
  /** For example `user_profile.locale`. */
  field: string;
  /** What the value should be, in words. */
  wanted: string;
}

interface LooseFormat {
  wanted: string;
  fits: (text: string) => boolean;
}

const LONGEST_TAG = 255;

/** By the `x-format` of a schema. */
const FORMATS: Readonly<Record<NonNullable<Schema['x-format']>, LooseFormat>> = {
  e164: {
    wanted: 'a phone number in E.164 format, such as +15550100234',
    fits: (text) => /^\+[1-9]\d{1,14}$/.test(text),
  },
  bcp47: { wanted: 'a BCP 47 language tag, such as en-US', fits: isLanguageTag },
  uri: { wanted: 'a URI, such as https://example.com/a', fits: (text) => URL.canParse(text) },
};

function isLanguageTag(text: string): boolean {
  if (text.length > LONGEST_TAG) return false;
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** What the value should be; undefined if it is. An empty text clears a field. */
export function wantedFormat(value: unknown, { 'x-format': name }: Schema): string | undefined {
  if (name === undefined || typeof value !== 'string' || value === '') return undefined;
  const { wanted, fits } = FORMATS[name];
  return fits(value) ? undefined : wanted;
}

export const looseViolations = (loose: readonly LooseValue[]): FieldViolation[] =>
  loose.map(({ field, wanted }) => ({
    field,
    description: `value must be ${wanted}`,
    constraint: 'string.format',
  }));

/** For the journal. */
export const looseNotes = (loose: readonly LooseValue[]): string[] =>
  loose.map(({ field, wanted }) => `${field} should be ${wanted}; it was taken as it is`);
