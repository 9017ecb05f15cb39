import { X509Certificate } from 'node:crypto';
import { invalidArgument } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import type { Settings } from './settings.ts';

type Certificate = NonNullable<NonNullable<Settings['saml_config']>['idp_certificates']>[number];

/** Unverified: a new certificate takes the place of the old one; the same one again stays, an empty text takes it away. */
export function certificatesOf(world: World, stored: readonly Certificate[], text: string | undefined) {
  if (text === undefined) return [...stored];
  if (text === '') return [];
  const parsed = parse(text);
  const certificate = parsed.toString();
  const known = stored.find((each) => each.certificate === certificate);
  if (known) return [known];
  const expiry_time = new Date(parsed.validTo).toISOString();
  const issuer = parsed.issuer.split('\n').join(', ');
  return [{ certificate, create_time: world.clock.iso(), expiry_time, id: world.draw.id('cert'), issuer }];
}

/** With or without the lines around the base64, as identity providers give it. */
function parse(text: string): X509Certificate {
  try {
    return new X509Certificate(text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64'));
  } catch {
    throw invalidArgument('idp_certificate is not an X.509 certificate');
  }
}
