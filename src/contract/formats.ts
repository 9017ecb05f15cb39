import { fullFormats } from 'ajv-formats/dist/formats.js';

/** A time as this program writes it. */
const OWN_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const TIME = fullFormats['date-time'] as { validate(text: string): boolean };

/** The formats that the documents use. Most times are written by this program, and the library's check takes ten times as long. */
export const FORMATS = {
  ...fullFormats,
  'date-time': { ...TIME, validate: (text: string) => OWN_TIME.test(text) || TIME.validate(text) },
} as const;
