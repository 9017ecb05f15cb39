import { snakeCase } from '../../contract/proto-json.ts';
import type { PatchStep } from './json-patch.ts';

const REDACTED = '[redacted]';

/** Names that hold secrets, as far as they do not end like one. */
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

/** These end like secrets and are none. */
const PAGE_TOKEN = /page_token$/;

/** Paths that whoever has the link may open, and where its row stands: under what the link ends in. */
const LINKS = /(\/(?:magicLink|magic_links|mcp\/v1|webhooks\/portal)\/)[^/?#\s"'<>]+/gi;
const PARAMETERS =
  /([?&#](?:code|(?:link_|access_|refresh_|id_)?token|client_secret|client_assertion|id_token_hint|password|api_?key)=)[^&#\s"'<>]+/gi;
/** The password in an address. */
const USER = /(:\/\/[^/?#\s:@"'<>]*:)[^/?#\s@"'<>]+(?=@)/g;
/** A JWT, wherever it stands. */
const SIGNED = /()\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+/g;
/** What a field of a page holds. */
const FIELDS = /(\bname="[a-z_]*(?:secret|token)"[^<>]*?\bvalue=")[^"<>]+/g;
const TELLING = [LINKS, PARAMETERS, USER, SIGNED, FIELDS];

/** The free JSON of static credentials is secret as a whole: any member may be one. */
const FREE = 'static_auth';

/** The smallest number that a `code` can be which is no gRPC code. */
const FIRST_CODE = 100;
/** Nor is a text like `DOMAIN_BLOCKED` one that anybody could sign in with. */
const ERROR_NAME = /^[A-Z]+(_[A-Z]+)+$/;

/** Replaces secrets. What is secret in one place of a call is secret in all of them. */
export class Redaction {
  readonly #known: RegExp | undefined;

  /** Secrets are looked for in these values, by the names of what holds them. */
  constructor(...values: readonly unknown[]) {
    const found = new Set<string>();
    for (const value of values) collect(value, found);
    if (found.size > 0) this.#known = anyOf([...found]);
  }

  /** Of a value that is named so, where it has a name. */
  readonly value = (value: unknown, name?: string): unknown => {
    if (name !== undefined && isSecret(name, value)) return REDACTED;
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.value(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.value(member, key)]));
  };

  /** The names on the way to a value say what it is. */
  readonly patch = ({ op, path, value }: PatchStep): PatchStep => {
    const shown = { op, path: this.text(path) };
    if (value === undefined) return shown;
    const [, , , ...names] = path.split('/');
    const hidden = names.some((name) => isSecret(name, value));
    return { ...shown, value: hidden ? REDACTED : this.value(value) };
  };

  text(text: string): string {
    const known = this.#known ? text.replace(this.#known, REDACTED) : text;
    return TELLING.reduce((shown, expression) => shown.replace(expression, `$1${REDACTED}`), known);
  }

  /** Of a text that is neither JSON nor a form, or only the beginning of it. */
  unread(text: string): string {
    return this.text(text.replace(UNREAD_FREE, `$1${REDACTED}`).replace(UNREAD, `$1${REDACTED}`));
  }
}

/** Bodies are kept as they came: with names in either spelling, and with secrets that come twice. */
function isSecret(name: string, value: unknown): boolean {
  const [wireName, lower] = [snakeCase(name), name.toLowerCase()];
  if (wireName === FREE || lower === FREE) return value !== null;
  if (lower.startsWith(`${FREE}.`)) return true; // a form has no members in members
  if (value === null || typeof value === 'boolean') return false;
  if (typeof value === 'object' && !Array.isArray(value)) return false;
  // Elsewhere it is a number that says what went wrong.
  if (lower === 'code')
    return typeof value === 'number'
      ? value >= FIRST_CODE
      : typeof value !== 'string' || !ERROR_NAME.test(value);
  return [wireName, lower].some(
    (each) => SECRET_NAMES.has(each) || (SECRET_ENDING.test(each) && !PAGE_TOKEN.test(each)),
  );
}

function collect(value: unknown, found: Set<string>, name?: string): void {
  if (name !== undefined && isSecret(name, value)) return collectAll(value, found);
  if (typeof value === 'string') {
    for (const expression of TELLING)
      for (const [whole, before = ''] of value.matchAll(expression)) keep(whole.slice(before.length), found);
  } else if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    for (const [key, member] of Object.entries(value)) collect(member, found, isList ? undefined : key);
  }
}

function collectAll(value: unknown, found: Set<string>): void {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collectAll(member, found);
    return;
  }
  if (typeof value !== 'string' && typeof value !== 'number') return;
  const text = String(value);
  keep(text, found);
  // A header says more than the secret: `Bearer …`, `Basic …`, `session=…; Path=/`.
  const [, scheme, credentials] = /^(basic|bearer) (\S+)$/i.exec(text) ?? [];
  if (credentials !== undefined) keep(credentials, found);
  if (scheme?.toLowerCase() === 'basic')
    keep(Buffer.from(credentials!, 'base64').toString().replace(/^.*?:/, ''), found);
  for (const [, cookie = ''] of text.matchAll(COOKIES)) keep(cookie, found);
}

/** Values in a cookie header, without what says of a cookie where and how long it is good. */
const COOKIES = /(?:^|; ?)(?!(?:path|domain|expires|max-age|samesite)=)[^=;\s]+=([^;\s]+)/gi;

/** What is short may well be a word of its own elsewhere. */
const SHORTEST = 6;

function keep(secret: string, found: Set<string>): void {
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
