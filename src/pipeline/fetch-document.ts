import type { FetchedDocument } from '../environment/fetched-document.ts';
import { AllowedHosts } from '../webhooks/allowed-hosts.ts';
import { sendOnce } from '../webhooks/http-client.ts';

/** In bytes. */
const LARGEST = 65_536;
/** Real milliseconds. */
const TIMEOUT = 5000;

/** Fetches a document from an address that `--webhook-allow` permits. Never throws. */
export async function fetchDocument(url: string, allow: readonly string[]): Promise<FetchedDocument> {
  const signal = AbortSignal.timeout(TIMEOUT);
  try {
    const headers = { accept: 'application/json' };
    const allowed = new AllowedHosts(allow);
    const request = { url, method: 'GET', headers, body: '', allowed, signal, maxBytes: LARGEST };
    const { status, text, isCut } = await sendOnce(request);
    if (status !== 200) return { failure: `${url} answered ${status}` };
    return isCut ? { failure: `${url} has more than ${LARGEST} bytes` } : { text };
  } catch (thrown) {
    if (signal.aborted) return { failure: `${url} did not answer within ${TIMEOUT / 1000} s` };
    const { message, code = '' } = thrown as Error & { code?: string };
    return { failure: `${url} cannot be fetched: ${message || code}` };
  }
}
