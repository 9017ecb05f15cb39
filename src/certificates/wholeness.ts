import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Identity } from './issue.ts';

/** Whether certificate and key can be read, belong together, and `authority` has signed them: files get damaged and mixed up. */
export function isWhole({ certificate, key }: Identity, authority: Identity): boolean {
  try {
    const read = new X509Certificate(certificate);
    const isSigned = read.verify(new X509Certificate(authority.certificate).publicKey);
    return isSigned && read.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false; // it is no certificate, or no key
  }
}
