/** Whether `whole` contains `part`: objects may have more members, lists must be equal in length. */
export function includes(whole: unknown, part: unknown): boolean {
  if (Array.isArray(part)) return includesList(whole, part);
  if (typeof part !== 'object' || part === null) return Object.is(whole, part);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false;
  return Object.entries(part).every(([name, value]) => includes(member(whole, name), value));
}

const includesList = (whole: unknown, part: readonly unknown[]) =>
  Array.isArray(whole) &&
  whole.length === part.length &&
  part.every((value, index) => includes(whole[index], value));

/** JSON bodies may also spell a name in camelCase, as the contract allows. */
export function member(whole: object, name: string): unknown {
  if (Object.hasOwn(whole, name)) return (whole as Record<string, unknown>)[name];
  if (!name.includes('_')) return undefined;
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(whole, camel) ? (whole as Record<string, unknown>)[camel] : undefined;
}
