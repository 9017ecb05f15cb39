/**
 * The bytes of a text in Base64, which programs break into lines and may leave unpadded. Undefined for a text that is not
 * the only one of its bytes, such as one with unused bits that are set: nobody can change it and keep it valid.
 */
export function base64Bytes(text: string): Buffer | undefined {
  const joined = text.replace(/\s+/g, '');
  const bytes = Buffer.from(joined, 'base64');
  const written = bytes.toString('base64');
  return joined === written || joined === written.replace(/=+$/, '') ? bytes : undefined;
}
