import { refuseViolations } from '../refusals.ts';
import type { Resource } from './resource.ts';

type Entry = NonNullable<Resource['cimd_client_allowlist']>[number];

/** Throws for addresses that are not https, lack a path, or have a star elsewhere than at the end. */
export function refuseEntries(entries: readonly Entry[] = []): void {
  refuseViolations(
    entries.flatMap(({ type, value }, index) => {
      const flaw = type === 'URL' ? flawOf(value) : undefined;
      const field = `resource.cimd_client_allowlist[${index}].value`;
      return flaw ? [{ field, description: `value ${flaw}`, constraint: 'cimd_client_allowlist' }] : [];
    }),
  );
}

function flawOf(value: string): string | undefined {
  const plain = value.replace(/\*$/, '');
  if (plain.includes('*')) return 'may have one star, at the end';
  if (!URL.canParse(plain) || new URL(plain).protocol !== 'https:') return 'must be an https address';
  return plain === value && new URL(value).pathname === '/' ? 'without a star must have a path' : undefined;
}

/** Whether the client of the metadata document at this address may be used. */
export function allowsDocument(resource: Resource, address: string): boolean {
  const { cimd_client_allowlist: entries = [], cimd_client_allowlist_enabled: counts } = resource;
  return !counts || entries.some((entry) => fits(entry, address));
}

function fits({ type, value }: Entry, address: string): boolean {
  if (type === 'PREDEFINED') return isOfVendor(address, value);
  return value.endsWith('*') ? address.startsWith(value.slice(0, -1)) : address === value;
}

/**
 * Unverified (resources/addresses-of-vendors): which addresses a vendor has. Here CLAUDE has those whose host is
 * claude.ai, or ends so.
 */
function isOfVendor(address: string, vendor: string): boolean {
  const labels = URL.canParse(address) ? new URL(address).hostname.split('.') : [];
  return labels.length > 1 && labels.at(-2) === vendor.toLowerCase();
}
