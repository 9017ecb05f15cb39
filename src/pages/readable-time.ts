/** As people write it: `Wed, 16 Jan 2030 12:00 UTC`. */
export const readableTime = (time: string): string =>
  new Date(time).toUTCString().replace(/:\d\d GMT$/, ' UTC');

/** As `readableTime`, with seconds. */
export const exactTime = (time: string): string => new Date(time).toUTCString().replace('GMT', 'UTC');
