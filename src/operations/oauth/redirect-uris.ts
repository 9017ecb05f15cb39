// No fragment, and nothing that a header can not hold.
const LOOPBACK =
  /^https?:\/\/(?:(?:[a-z0-9-]+\.)?localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:[/?][!-"$-[\]-~]*)?$/;

/**
 * Whether a client may be sent to the address: one that is registered, letter by letter. A client that has registered
 * none, such as the environment's own, may name any on this machine (our convenience, for suites on ports of their own).
 */
export function isRegistered(registered: readonly string[] | undefined, address: string): boolean {
  if (!registered || registered.length === 0) return LOOPBACK.test(address) && URL.canParse(address);
  return registered.includes(address);
}
