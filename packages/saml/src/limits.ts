/** Bytes of XML. The largest real responses, with hundreds of groups, have some 100 kB. */
export const LARGEST_MESSAGE = 262_144;
/** Of one tag, with its attributes: their look-up takes a time that grows with the square of their number. */
export const LONGEST_TAG = 8_192;
export const MOST_ELEMENTS = 5_000;
export const DEEPEST_ELEMENT = 40;
/** Of elements. The parser looks through the whole document for each new one. Real responses have some thirty. */
export const MOST_NAMES = 200;
