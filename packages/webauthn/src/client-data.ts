import { refused } from './refusal.ts';

/** What the browser says about a ceremony (WebAuthn 5.8.1). */
interface ClientData {
  type: unknown;
  challenge: unknown;
  origin: unknown;
  crossOrigin?: unknown;
  topOrigin?: unknown;
  tokenBinding?: unknown;
}

interface ExpectedClientData {
  type: 'webauthn.create' | 'webauthn.get';
  /** In base64url, as browsers send it. */
  challenge: string;
  origins: readonly string[];
}

export function readClientData(bytes: Buffer): ClientData {
  try {
    const data: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isObject(data)) return data as unknown as ClientData;
  } catch {
    // Neither UTF-8 nor JSON: refused below.
  }
  throw refused('client_data_json is not a JSON object');
}

export function checkClientData(data: ClientData, { type, challenge, origins }: ExpectedClientData): void {
  if (data.type !== type)
    throw refused(`client_data_json has the type ${shown(data.type)}: ${type} is wanted`);
  if (data.challenge !== challenge) throw refused('client_data_json has another challenge than the options');
  if (typeof data.origin !== 'string' || !origins.includes(data.origin))
    throw refused(`client_data_json has the origin ${shown(data.origin)}: allowed are ${origins.join(', ')}`);
  if (type === 'webauthn.get') checkFrames(data);
  checkTokenBinding(data.tokenBinding);
}

/**
 * Unverified (passkeys/frames-of-other-sites): frames of other sites cannot sign in, because no setting names these
 * sites.
 */
function checkFrames({ crossOrigin, topOrigin }: ClientData): void {
  if (!topOrigin) return;
  if (!crossOrigin) throw refused('client_data_json has a topOrigin without crossOrigin');
  throw refused(`the page was in a frame of ${shown(topOrigin)}: sign in on a page of its own`).decidedBy(
    'passkeys/frames-of-other-sites',
  );
}

const BINDINGS: readonly unknown[] = ['present', 'supported', 'not-supported', 'notSupported'];

/** Old browsers send it (WebAuthn Level 2, 5.8.1). */
function checkTokenBinding(binding: unknown): void {
  if (!binding) return;
  if (!isObject(binding) || !BINDINGS.includes(binding['status']))
    throw refused('client_data_json has a tokenBinding without a known status');
}

const shown = (value: unknown) => (typeof value === 'string' ? value.slice(0, 200) : typeof value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
