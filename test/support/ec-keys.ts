import { createPrivateKey } from 'node:crypto';
import { pemOf, type KeyPair } from '@understudy/saml/development-keys';

/** Keys on elliptic curves, and their certificates. Only tests know them. */
const MATERIAL = {
  p256: {
    key: [
      'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggml8c5dcAS2azBYfW3iQMWAJRPnDrVooKDHChyPXH9qhRANC',
      'AAQp6Tw90Z8MKs2heDyOBL9S1H2qDlADRd5dQJzhrY7DxNUwWCRsaxaVLjqaeBebxMrxZn5+3GRCmL5wBLw3efuh',
    ].join(''),
    certificate: [
      'MIIBPDCB46ADAgECAgEHMAoGCCqGSM49BAMCMCcxJTAjBgNVBAMMHFRlc3QgaWRlbnRpdHkgcHJvdmlkZXIsIFAyNTYwIBcN',
      'MDAwMTAxMDAwMDAwWhgPMjA5OTEyMzEyMzU5NTlaMCcxJTAjBgNVBAMMHFRlc3QgaWRlbnRpdHkgcHJvdmlkZXIsIFAyNTYw',
      'WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQp6Tw90Z8MKs2heDyOBL9S1H2qDlADRd5dQJzhrY7DxNUwWCRsaxaVLjqaeBeb',
      'xMrxZn5+3GRCmL5wBLw3efuhMAoGCCqGSM49BAMCA0gAMEUCIQDyXGCkzEWmuAiUEpoWW8VZWuXqMMEtUaxNOrt9bh6GXwIg',
      'MBI3TtnDsWvpgILbTfFWukTHLFzYWbDEYJWjGGTWI78=',
    ].join(''),
  },
  p521: {
    key: [
      'MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIBXMM39YtvrnqBi3/RC9SzvQJVmgRhJDZIr8UubUbxY6Et6aje',
      'PvKSvSSP9HRJN6RF32sEqe6rnIRWZBhHDBl+x1ehgYkDgYYABAAoKd48nSaz/gZv5th685SCdhNL8cCGl6HCYETLWObCwaCW',
      'YXfb0SdrxSR1GKZYzPYQZZScZN/dTYKeyk5XoyRkdAB8fmQNUb8dsvK/zIc/k3AK3qIQ0EFGP5hOuazbnG6p0sFkIAMAxq5m',
      'c6pM9o0F88hibNghJEOFPosZTQIEmWeDsA==',
    ].join(''),
    certificate: [
      'MIIBxTCCASagAwIBAgIBBzAKBggqhkjOPQQDAjAnMSUwIwYDVQQDDBxUZXN0IGlkZW50aXR5IHByb3ZpZGVyLCBQNTIxMCAX',
      'DTAwMDEwMTAwMDAwMFoYDzIwOTkxMjMxMjM1OTU5WjAnMSUwIwYDVQQDDBxUZXN0IGlkZW50aXR5IHByb3ZpZGVyLCBQNTIx',
      'MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQAKCnePJ0ms/4Gb+bYevOUgnYTS/HAhpehwmBEy1jmwsGglmF329Ena8UkdRim',
      'WMz2EGWUnGTf3U2CnspOV6MkZHQAfH5kDVG/HbLyv8yHP5NwCt6iENBBRj+YTrms25xuqdLBZCADAMauZnOqTPaNBfPIYmzY',
      'ISRDhT6LGU0CBJlng7AwCgYIKoZIzj0EAwIDgYwAMIGIAkIB2CNrZfpkW+63L+NqAYrFh1KUk3sl2i9Q5yDM4qg8H5ac5sIH',
      'XCcRZAxr6BjZJyar3b+tKWlXfQZ0L430sICOXqsCQgGQ9EVLs0+qjO/hz5a5Fa1Vgw+DEpbgWWlpR6EgmpiJl3/Vy4DxCM6L',
      'tSRTHoI26FCYbeL5K2e443S2qHqYuoMx4w==',
    ].join(''),
  },
  k256: {
    key: [
      'MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgmk8d34hXPSC7KdLVEm+5L0IupyyQxxJdb5voGe77XFihRANCAAQb',
      'rYsoTdcoZ6+eFHpbnvWS1BxpM5ZW9DDl+tCyUEQWQpeYJKW50frYfzRp2y1vhCyFRo8qQD6ek4dMwRkyE3xp',
    ].join(''),
    certificate: [
      'MIIBOTCB4KADAgECAgEHMAoGCCqGSM49BAMCMCcxJTAjBgNVBAMMHFRlc3QgaWRlbnRpdHkgcHJvdmlkZXIsIEsyNTYwIBcN',
      'MDAwMTAxMDAwMDAwWhgPMjA5OTEyMzEyMzU5NTlaMCcxJTAjBgNVBAMMHFRlc3QgaWRlbnRpdHkgcHJvdmlkZXIsIEsyNTYw',
      'VjAQBgcqhkjOPQIBBgUrgQQACgNCAAQbrYsoTdcoZ6+eFHpbnvWS1BxpM5ZW9DDl+tCyUEQWQpeYJKW50frYfzRp2y1vhCyF',
      'Ro8qQD6ek4dMwRkyE3xpMAoGCCqGSM49BAMCA0gAMEUCIDYvSrrjg7lNjYMHplmfTsgKbBa/J2RF+r6/yxtJHXJGAiEAvy5A',
      'AclNFSSA0r2+/MS2F8KEND4M529XDK4L65mejdc=',
    ].join(''),
  },
};

export type EcKey = keyof typeof MATERIAL;

export function ecKey(name: EcKey): KeyPair {
  const { key, certificate } = MATERIAL[name];
  const privateKey = createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' });
  return { privateKey, certificate: pemOf(certificate) };
}
