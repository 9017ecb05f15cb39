const MOST = 100;

/** A text for a message: its beginning if it is long. */
export const shortened = (text: string, most = MOST): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
