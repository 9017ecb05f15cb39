/** Headers of a connection (RFC 9110 7.6.1), and those that are written anew. */
const OF_A_CONNECTION =
  /^(connection|expect|host|http2-settings|keep-alive|proxy-connection|te|transfer-encoding|upgrade)$/;

/** The headers that are passed on, as they were written. Names and values alternate. */
export function headersOfPart(raw: readonly string[], connection = ''): string[] {
  const named = new Set(connection.toLowerCase().split(/ *, */));
  const isKept = (name: string) => !OF_A_CONNECTION.test(name) && !named.has(name) && !name.startsWith(':');
  return raw.flatMap((name, i) => (i % 2 === 0 && isKept(name.toLowerCase()) ? [name, raw[i + 1]!] : []));
}
