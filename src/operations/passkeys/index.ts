export { passkeys as webAuthnService } from './passkeys.ts';
