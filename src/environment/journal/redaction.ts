import { snakeCase } from '../../contract/proto-json.ts';
import type { PatchStep } from './json-patch.ts';

const REDACTED = '[redacted]';

/** Names of secrets that `SECRET_ENDING` does not match. */
const SECRET_NAMES = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'assertion',
  'client_assertion',
  'code_verifier',
  'id_token_hint',
  'magic_link_id',
  'otp',
  'samlresponse',
  'service_account_json',
  'secret_access_key',
]);
const SECRET_ENDING = /(^|[_-])(token|secret|password|passphrase|api[_-]?key|private[_-]?key)$/;

/** Page tokens match `SECRET_ENDING`, but are no secrets. */
const PAGE_TOKEN = /page_token$/;

/** Paths whose last part is a secret that opens the page. */
const LINKS = /(\/(?:magicLink|magic_links|mcp\/v1|webhooks\/portal)\/)[^/?#\s"'<>]+/gi;
const PARAMETERS =
  /([?&#](?:code|(?:link_|access_|refresh_|id_)?token|client_secret|client_assertion|id_token_hint|password|api_?key)=)[^&#\s"'<>]+/gi;
/** A password in a URL. */
const USER = /(:\/\/[^/?#\s:@"'<>]*:)[^/?#\s@"'<>]+(?=@)/g;
/** A JWT anywhere in a text. */
const SIGNED = /()\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+/g;
/** A hidden field of a page. */
const FIELDS = /(\bname="[a-z_]*(?:secret|token)"[^<>]*?\bvalue=")[^"<>]+/g;
const SECRET_PATTERNS = [LINKS, PARAMETERS, USER, SIGNED, FIELDS];

/** Static credentials are free JSON: any member may be a secret. */
const FREE_CREDENTIALS = 'static_auth';

/** Smaller values of `code` are gRPC codes, not authorization codes. */
const FIRST_CODE = 100;
/** A `code` such as `DOMAIN_BLOCKED` is an error name, not an authorization code. */
const ERROR_NAME = /^[A-Z]+(_[A-Z]+)+$/;

/** Replaces secrets. A text that is secret in one place of a call is replaced everywhere in the call. */
export class Redaction {
  readonly #known: RegExp | undefined;

  /** Collects the secrets in these values by the names of their members. */
  constructor(...values: readonly unknown[]) {
    const found = new Set<string>();
    for (const value of values) collectSecrets(value, found);
    if (found.size > 0) this.#known = anyOf([...found]);
  }

  /** `name`: the member that holds the value. */
  readonly value = (value: unknown, name?: string): unknown => {
    if (name !== undefined && isSecret(name, value)) return REDACTED;
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.value(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.value(member, key)]));
  };

  readonly patch = ({ op, path, value }: PatchStep): PatchStep => {
    const shown = { op, path: this.text(path) };
    if (value === undefined) return shown;
    const [, , , ...names] = path.split('/');
    const hidden = names.some((name) => isSecret(name, value));
    return { ...shown, value: hidden ? REDACTED : this.value(value) };
  };

  text(text: string): string {
    const known = this.#known ? text.replace(this.#known, REDACTED) : text;
    return SECRET_PATTERNS.reduce((shown, expression) => shown.replace(expression, `$1${REDACTED}`), known);
  }

  /** For a text that is neither JSON nor a form, or was cut. */
  unread(text: string): string {
    return this.text(text.replace(UNREAD_FREE, `$1${REDACTED}`).replace(UNREAD, `$1${REDACTED}`));
  }
}

/** Checks both spellings (camelCase and snake_case), because bodies are kept as they came. */
function isSecret(name: string, value: unknown): boolean {
  const [wireName, lower] = [snakeCase(name), name.toLowerCase()];
  if (wireName === FREE_CREDENTIALS || lower === FREE_CREDENTIALS) return value !== null;
  if (lower.startsWith(`${FREE_CREDENTIALS}.`)) return true; // a form field's name holds the whole path
  if (value === null || typeof value === 'boolean') return false;
  if (typeof value === 'object' && !Array.isArray(value)) return false;
  // Other codes are error codes.
  if (lower === 'code')
    return typeof value === 'number'
      ? value >= FIRST_CODE
      : typeof value !== 'string' || !ERROR_NAME.test(value);
  return [wireName, lower].some(
    (each) => SECRET_NAMES.has(each) || (SECRET_ENDING.test(each) && !PAGE_TOKEN.test(each)),
  );
}

function collectSecrets(value: unknown, found: Set<string>, name?: string): void {
  if (name !== undefined && isSecret(name, value)) return collectAllValues(value, found);
  if (typeof value === 'string') {
    for (const expression of SECRET_PATTERNS)
      for (const [whole, before = ''] of value.matchAll(expression))
        addSecret(whole.slice(before.length), found);
  } else if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    for (const [key, member] of Object.entries(value))
      collectSecrets(member, found, isList ? undefined : key);
  }
}

function collectAllValues(value: unknown, found: Set<string>): void {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collectAllValues(member, found);
    return;
  }
  if (typeof value !== 'string' && typeof value !== 'number') return;
  const text = String(value);
  addSecret(text, found);
  // A header holds more than the secret: `Bearer …`, `Basic …`, `session=…; Path=/`.
  const [, scheme, credentials] = /^(basic|bearer) (\S+)$/i.exec(text) ?? [];
  if (credentials !== undefined) addSecret(credentials, found);
  if (scheme?.toLowerCase() === 'basic')
    addSecret(Buffer.from(credentials!, 'base64').toString().replace(/^.*?:/, ''), found);
  for (const [, cookie = ''] of text.matchAll(COOKIES)) addSecret(cookie, found);
}

/** Cookie values without attributes such as Path and Max-Age. */
const COOKIES = /(?:^|; ?)(?!(?:path|domain|expires|max-age|samesite)=)[^=;\s]+=([^;\s]+)/gi;

/** Shorter texts are too likely to be ordinary words elsewhere. */
const SHORTEST = 6;

function addSecret(secret: string, found: Set<string>): void {
  if (secret.length >= SHORTEST) found.add(secret);
}

function anyOf(secrets: readonly string[]): RegExp {
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  const texts = longestFirst.map((text) => text.replace(/[\\^$.|?*+()[\]{}/-]/g, '\\$&'));
  return new RegExp(`(?<![A-Za-z0-9])(?:${texts.join('|')})(?![A-Za-z0-9])`, 'g');
}

const WORDS = [
  ...SECRET_NAMES,
  'code',
  '[a-z_-]*(?:token|secret|password|passphrase|api[_-]?key|private[_-]?key)',
]
  .map((name) => (name.includes('[') ? name : name.replace(/[_-]/g, '[_-]?')))
  .join('|');
const UNREAD = new RegExp(
  `((?:^|[^A-Za-z0-9_-])["']?(?:${WORDS})["']?\\s*[:=]\\s*)("(?:[^"\\\\]|\\\\[^])*"?|'[^']*'?|[^\\s,;&}\\]]+)`,
  'gi',
);
const UNREAD_FREE = /(static_?auth["']?\s*[:=]\s*)[^]+/gi;
