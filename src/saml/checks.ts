// The part of SAML that reads XML of others, with the libraries for it: a bundle of its own, loaded at its first use.
export { checkResponse, CLOCK_SKEW, MAX_AGE, ProviderRefused } from './response-check.ts';
export {
  readAuthnRequest,
  readForeignLogoutRequest,
  readLogoutRequest,
  readLogoutResponse,
} from './message-reading.ts';
export { readProviderMetadata } from './metadata-reading.ts';
