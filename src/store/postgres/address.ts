import type { readAddress } from './driver.ts';
import { StoreError } from '../change-log.ts';

const SCHEMES = ['postgres:', 'postgresql:'];

/** `postgres://user:password@host:5432/database?sslmode=verify-full&sslrootcert=ca.pem`; what is missing comes from `PG*`. */
export function addressOf(text: string, read: typeof readAddress) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The text may hold a password, so that the message cannot show it.
  if (!url || !SCHEMES.includes(url.protocol))
    throw new StoreError('--store is not the address of a database: postgres://user@host:5432/database');
  const { searchParams: options } = url;
  // `require` encrypts and `verify-full` also checks, as they do for psql.
  if (options.has('sslmode')) options.set('uselibpqcompat', 'true');
  try {
    return { shown: withoutPassword(text), settings: read(url.href) };
  } catch (thrown) {
    throw StoreError.from('--store', thrown);
  }
}

/** For messages. */
export function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return 'postgres://…';
  const { protocol, username, host, pathname } = new URL(text);
  return `${protocol}//${username && `${username}@`}${host}${pathname}`;
}
