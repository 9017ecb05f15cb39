import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

type Domain = Rows['domains'];

/** Without what only the verification looks at. */
export function viewDomain(world: World, { txt_record_found: _, verify_before: __, ...domain }: Domain) {
  return { ...domain, environment_id: world.settings.get('settings').environment_id };
}

/** Unverified: lists show the TXT records to those who ask for them. */
export const viewWithoutRecord = (world: World, domain: Domain) =>
  viewDomain(world, { ...domain, txt_record_key: '', txt_record_secret: '' });
