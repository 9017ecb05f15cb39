import type { readAddress } from './driver.ts';
import { StoreError } from '../../store/change-log.ts';
import { withoutPassword } from '../../text/addresses.ts';

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
