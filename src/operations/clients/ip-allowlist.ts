import { BlockList, isIP } from 'node:net';
import type { components } from '../../contract/openapi.gen.ts';
import type { FieldViolation } from '../../contract/errors.ts';
import type { Rows } from '../../state/env.ts';
import { refuseViolations } from '../refusals.ts';

type Client = Rows['clients'];
type Given = components['schemas']['IpAllowlistInput'];
type Stored = NonNullable<Client['ip_allowlist']>;

interface Range {
  address: string;
  bits: number;
  type: 'IPV4' | 'IPV6';
}

const FIELD = 'client.ip_allowlist';

/** The list as it is stored. Throws for ranges that cannot be read or hold every address. */
export function checkedAllowlist(
  { opted_in = false, cidrs = [] }: Given,
  type: Client['client_type'],
): Stored {
  const broken: FieldViolation[] = [];
  const refuse = (field: string, description: string) =>
    broken.push({ field, description, constraint: 'ip_allowlist' });
  if (type !== undefined && type !== 'ENV' && type !== 'WEB_APP')
    refuse(FIELD, `clients of type ${type} have no list of addresses`);
  if (opted_in && cidrs.length === 0) refuse(FIELD, 'a list that counts must have a range');
  const stored = cidrs.flatMap(({ value }, index) => {
    const range = rangeOf(value);
    if (range && range.bits > 0) return [{ value, type: range.type }];
    const flaw = range ? 'has every address' : 'is no range such as 192.0.2.0/24';
    refuse(`${FIELD}.cidrs[${index}].value`, `value ${flaw}`);
    return [];
  });
  refuseViolations(broken);
  return { opted_in, cidrs: stored };
}

/** Unverified (clients/allowlist-single-address): an address without a length stands for itself. */
function rangeOf(text: string): Range | undefined {
  const [address = '', length, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0 || address.includes('%')) return undefined;
  const most = family === 4 ? 32 : 128;
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : NaN;
  return bits <= most ? { address, bits, type: family === 4 ? 'IPV4' : 'IPV6' } : undefined;
}

/** Whether the client's tokens may be got and used from the address. An unknown address is in no range. */
export function allowsAddress({ ip_allowlist }: Client, address = ''): boolean {
  if (!ip_allowlist?.opted_in) return true;
  const family = isIP(address);
  if (family === 0) return false;
  const ranges = new BlockList();
  for (const { value } of ip_allowlist.cidrs) {
    const range = rangeOf(value);
    if (range) ranges.addSubnet(range.address, range.bits, range.type === 'IPV4' ? 'ipv4' : 'ipv6');
  }
  return ranges.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

export const addressRefusal = ({ id }: Client, address = 'an unknown address') =>
  `client ${id} may not be used from ${address}: its ip_allowlist lacks the address`;
