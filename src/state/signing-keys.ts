import { rowNamed } from '../contract/cause.ts';
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { failedPrecondition } from '../contract/errors.ts';
import type { Table } from '../rows/table.ts';
import type { Env, Rows } from './env.ts';
import { rsaKeyOf } from './rsa-key.ts';

/** The first signing key of every environment, public on purpose: nobody must trust these tokens elsewhere. */
export const DEVELOPMENT_KEY = {
  kid: 'snk_10000000000000001',
  alg: 'RS256' as const,
  use: 'sig' as const,
  kty: 'RSA' as const,
  n: [
    'wmjh2DT30Cx7aEWiF8E6zB2ywcdD0T89PknLGp3dP_I-WtcsadEHiq9H_IgdAHxsfAhLpycd3UD5c4zwnqJvr0eDVJClQ1_g',
    'fGb-nbTvot_7NHk2N1aHqp13KUi_U7SSq--PAxNVjPz9Ksyu4LCyhNnnDs6uXvX36eUI6XxecU128THTbl4GoW5gk8wCnf0M',
    'FZBT48EbKD2bdS0bYMpnNJAGx99lu5T1ZC1nc_7aV2QpqaGoXL4VOjSiwD9e6OvmdMeGaHQ1uZf9cA4nNwswrFj8QIh5p7YG',
    'eYVF1ADtCjqEQAMz0gheFXvODaU_x93rCLUH49QNJU8DnaE_Yv1-4Q',
  ].join(''),
  e: 'AQAB',
  d: [
    'CAbQNZ7bkRxCYh08jTIyAnBtdiO120NQUiyLdrIINauDmI45bAsF09uFzi7efQEmHNQzhMIQMReNf7r_dO_sSuEvJ8QrFpuJ',
    'nLPx6kKorDcG25_vivGx0JZcxPcXHdZ0QdC2Z7WaJXk33gGtF2N5k2jzFGuYdnI9sJ9UsrMrAQ7Ty3fPvVy7zbdCwx57u4Zd',
    '6HeXJdWJUSg3CCniP6ODUcRXmgAz9UCKa-XzxA7Ttnm62O5FZWaXrhujMjBSKA0hLnVzjt-KDmt5yaNWK2rR6cdEzc47tAJn',
    'cTWBeujMA7NtKa887QtA8irbkNx8kqCkBHbPZHSRVYOZHrSVelhR2Q',
  ].join(''),
  p: [
    '4HpoxLysfqeQOvnkcId8zlj7MnWwgAOwNlGSZrYC9GvAbIvmOHiaEHZDVpTubf3ppoeYJU3wwI5iJg0CdzzTod-4tiRdCm8i',
    'DUX516t9kct5jaEtALwEE__eOp25KB61t5tYEMFu5Qjc71EqozjP1ovtGUGPh0IIyQwTjtMvJTU',
  ].join(''),
  q: [
    '3bWQqmwUGXnSfwDth4W0wZuUVM9_BJFZ7MZLflvNTWsZjY45W6wbrRVc8F8oabQOxIp1x0V864Y3UCOqPe__fU8AhpjKBV8p',
    'XOiEsc45FiQrvk8XtvZQF9Hhszt9P0BfxbXdjcpNgGus4cJC0DyhDzHx16ZjEg-nLQ7Qa4TFhH0',
  ].join(''),
  dp: [
    'Bxt5E7mRkJUHmQZueC2iAvqIQYm-Y986Bg5BH2Vl5I1A027-hA01e43zBdvDTNI8QpyKcavtEnuvmdrRmCrh3H8z3vh5xanN',
    'HzR2-6AfYq1ZlOVkgmBxlJyGUb7KrP2D7WNKv4UQWMoWDLG6Mt7KndViVWlg_PxXQN5UBDKljH0',
  ].join(''),
  dq: [
    'y_xjsAlkrNPjEis-YDRqzL9iSG3pBcDeJfWEPCwmxpZFmnJC38-IX0WKjzZeLnMWK0rhdoi-mMySU8-csQQB478uUqh9J1gY',
    '7HyaqiV9bJu3C5Al15bktiXLLWcMo4eNFpFv2SdLC18GX2impIVEAoEHbEyQVmvEerZomKQ-Ptk',
  ].join(''),
  qi: [
    'NUyQzsbZLZaOYGf9Juakkj2OvGFG534XId0GsF5qZ2qZU-kD6PhB0wxyX9jo9xM8t8HcNwy-ze_grpvrG1k_khnaMOFTlcDA',
    'NzU0-Qm-yc6utCDy65wg59o75JU8LSk5amy2bfJpooutUIpQaJWQP24j21JI_x8YA286E2DXvyo',
  ].join(''),
};

type Row = Rows['signing_keys'];
type SigningKeys = Pick<Table<Row>, 'list'>;

/** A signing key that is ready for use. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** By their row, which a change replaces. */
const read = new WeakMap<Row, SigningKey>();
let first: SigningKey | undefined;

export const firstKey = (): SigningKey =>
  (first ??= keyFrom(DEVELOPMENT_KEY.kid, createPrivateKey({ key: DEVELOPMENT_KEY, format: 'jwk' })));

const keyFrom = (kid: string, privateKey: KeyObject): SigningKey => ({
  kid,
  privateKey,
  publicKey: createPublicKey(privateKey),
});

/** The key that signs new tokens: the newest. */
export function currentKey(keys: SigningKeys): SigningKey {
  const newest = newestFirst(keys)[0];
  return newest ? keyOf(newest) : firstKey();
}

/** The keys in /keys at `now`, newest first. The service accepts the tokens of no others. */
export function verifyingKeys(keys: SigningKeys, now: number): SigningKey[] {
  const rows = newestFirst(keys);
  return rows.length > 0 ? rows.filter((row) => isListed(row, now)).map(keyOf) : [firstKey()];
}

/** The body of /keys. */
export const jwks = (keys: readonly SigningKey[]) => ({
  keys: keys.map(({ kid, publicKey }) => {
    const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
    return { kty: 'RSA' as const, use: 'sig' as const, kid, alg: 'RS256' as const, n, e };
  }),
});

/** Tables are in the order of insertion, and testers insert rows, too. */
const newestFirst = (keys: SigningKeys): Row[] => keys.list().toSorted((a, b) => b.number - a.number);

const newestNumber = (keys: SigningKeys): number => newestFirst(keys)[0]?.number ?? 1;

const isListed = ({ retires_at }: Row, now: number): boolean =>
  retires_at === undefined || Date.parse(retires_at) > now;

function keyOf(row: Row): SigningKey {
  const known = read.get(row);
  if (known) return known;
  const key = keyFrom(row.id, privateKeyIn(row));
  read.set(row, key);
  return key;
}

function privateKeyIn({ id, private_key }: Row): KeyObject {
  try {
    const key = createPrivateKey({ key: Buffer.from(private_key, 'base64'), format: 'der', type: 'pkcs8' });
    if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) return key;
  } catch {
    // Not a key at all. What follows says so, without the text of the library.
  }
  throw failedPrecondition(
    `signing_keys/${id}: private_key is no RSA key of at least 2048 bits in PKCS#8; change or delete the row`,
    { rows: [rowNamed('signing_keys', { id })] },
  );
}

/** A key that is not in use yet. */
interface NewKey {
  number: number;
  privateKey: KeyObject;
}

/** The key that a rotation brings in. The same seed gives the same keys, in every environment. */
export async function nextKey(keys: SigningKeys, seed: number): Promise<NewKey> {
  const number = newestNumber(keys) + 1;
  return { number, privateKey: await madeOnce(`signing key ${number} of seed ${seed}`) };
}

/** The keys that were made last. Tests with one seed, and rotations at the same time, ask for the same ones. */
const made = new Map<string, Promise<KeyObject>>();
const MOST_MADE = 100;

function madeOnce(text: string): Promise<KeyObject> {
  const known = made.get(text);
  if (known) return known;
  const key = rsaKeyOf(text);
  made.set(text, key);
  if (made.size > MOST_MADE) made.delete(made.keys().next().value!);
  return key;
}

const DAY = 86_400_000;

/**
 * Lets the new key sign. The others leave /keys after `overlap` milliseconds, unless they leave earlier anyway. Returns all
 * that are in /keys then, or undefined, without a change, if another rotation has come first.
 */
// Unverified (oauth/key-overlap): a day, which is as long as the longest access token is valid.
export function rotate(env: Env, { number, privateKey }: NewKey, overlap = DAY) {
  const { signing_keys: keys, clock } = env;
  if (newestNumber(keys) !== number - 1) return undefined;
  if (keys.count() === 0) keys.insert(rowOf(number - 1, firstKey()));
  const end = clock.after(overlap);
  for (const row of keys.list())
    if (!isListed(row, clock.ms)) keys.remove(row.id);
    else if (isListed(row, Date.parse(end))) keys.update(row.id, { retires_at: end });
  const { id: kid } = keys.insert(rowOf(number, keyFrom(kidOf(privateKey), privateKey)));
  const listed = newestFirst(keys).filter((row) => isListed(row, clock.ms));
  return {
    kid,
    keys: listed.map(({ id, retires_at }) => ({ kid: id, ...(retires_at && { retires_at }) })),
  };
}

const rowOf = (number: number, { kid, privateKey }: SigningKey): Row => ({
  id: kid,
  number,
  private_key: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
});

/** The digits of the vendor's ids, from the key itself: two keys never share one. */
function kidOf(privateKey: KeyObject): string {
  const digest = createHash('sha256')
    .update(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }))
    .digest();
  return `snk_${(digest.readBigUInt64BE() % (9n * 10n ** 16n)) + 10n ** 16n}`;
}
