import { checkPrime, createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const isPrime = promisify<bigint, boolean>(checkPrime);

const EXPONENT = 65_537n;
const PRIME_BYTES = 128;

/** They divide six of seven candidates, and so spare most of the slow tests. */
const SMALL_PRIMES = primesBelow(2000);

/**
 * The RSA key of 2048 bits that belongs to the text: Node makes only random ones. Whoever knows the text knows the key. The
 * tests for primes run beside the main thread.
 */
export async function rsaKeyOf(seed: string): Promise<KeyObject> {
  const [p, q] = await Promise.all([primeOf(`${seed} p`), primeOf(`${seed} q`)]);
  const d = inverse(EXPONENT, (p - 1n) * (q - 1n));
  const numbers = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  const written = Object.entries(numbers).map(([name, number]) => [name, base64UrlOf(number)]);
  return createPrivateKey({ key: { kty: 'RSA', ...Object.fromEntries(written) }, format: 'jwk' });
}

/** The first fitting prime from a number of 1024 bits on. Its two highest bits are set, so that the product has 2048. */
async function primeOf(seed: string): Promise<bigint> {
  const bytes = createHash('shake256', { outputLength: PRIME_BYTES }).update(seed).digest();
  bytes[0]! |= 0b1100_0000;
  bytes[PRIME_BYTES - 1]! |= 1;
  const start = BigInt(`0x${bytes.toString('hex')}`);
  const rests = SMALL_PRIMES.map((prime) => [prime, Number(start % BigInt(prime))] as const);
  for (let step = 0; ; step += 2) {
    if (rests.some(([prime, rest]) => (rest + step) % prime === 0)) continue;
    const candidate = start + BigInt(step);
    if (candidate % EXPONENT !== 1n && (await isPrime(candidate))) return candidate;
  }
}

function primesBelow(limit: number): number[] {
  const primes: number[] = [];
  for (let number = 3; number < limit; number += 2)
    if (!primes.some((prime) => number % prime === 0)) primes.push(number);
  return primes;
}

/** The number whose product with `value` is 1 modulo `modulus`, by Euclid's algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [rest, divisor] = [modulus, value % modulus];
  let [before, factor] = [0n, 1n];
  while (divisor !== 0n) {
    const quotient = rest / divisor;
    [rest, divisor] = [divisor, rest - quotient * divisor];
    [before, factor] = [factor, before - quotient * factor];
  }
  return before < 0n ? before + modulus : before;
}

function base64UrlOf(number: bigint): string {
  const digits = number.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('base64url');
}
