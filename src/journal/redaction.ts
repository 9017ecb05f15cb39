import { snakeCase } from '../contract/proto-json.ts';
import { SECRET_FIELDS } from '../contract/secret-fields.gen.ts';
import type { PatchStep } from './json-patch.ts';
import { beginningOf } from '@understudy/text/json';

const REDACTED = '[redacted]';

/** Names that the contract does not know: of headers, and of fields in tool payloads and in calls outside the contract. */
const UNKNOWN_NAMES = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'client_assertion',
  'otp',
];
const SECRET_WORD = '(?:token|secret|assertion|password|passphrase|api[_-]?key|private[_-]?key)';
const SECRET_ENDING = new RegExp(`(^|[_-])${SECRET_WORD}$`);

const inLowerCase = (names: readonly string[]) => new Set(names.map((name) => name.toLowerCase()));
const SECRET_NAMES = inLowerCase([...SECRET_FIELDS.secret, ...UNKNOWN_NAMES]);
/** Names that match `SECRET_ENDING`, such as `page_token`, or another pattern below. */
const HARMLESS_NAMES = inLowerCase(SECRET_FIELDS.harmless);

/** For patterns: every name that ends in a word for a secret, and the other secret names. */
const ANY_NAME = [
  ...[...SECRET_NAMES]
    .filter((name) => !SECRET_ENDING.test(name))
    .map((name) => name.replace(/[_-]/g, '[_-]?')),
  `(?!(?:${SECRET_FIELDS.harmless.join('|')})\\b)[a-z_-]*${SECRET_WORD}`,
].join('|');

/** MCP servers of a connected account have no operation in the contract. */
const UNKNOWN_PATHS = ['/mcp/v1/'];
/** Paths whose last part is a secret that opens the page. */
const LINKS = new RegExp(`(${[...SECRET_FIELDS.paths, ...UNKNOWN_PATHS].join('|')})[^/?#\\s"'<>]+`, 'gi');
const PARAMETERS = new RegExp(`([?&#](?:${ANY_NAME})=)[^&#\\s"'<>]+`, 'gi');
/** A password in a URL. */
const USER = /(:\/\/[^/?#\s:@"'<>]*:)[^/?#\s@"'<>]+(?=@)/g;
/** A JWT anywhere in a text. */
const SIGNED = /()\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+/g;
/** A field of a page. */
const FIELDS = new RegExp(`(\\bname="(?:${ANY_NAME})"[^<>]*?\\bvalue=")[^"<>]+`, 'gi');
/** Secrets in a text whose place shows that they are some. The first group is what stands before the secret. */
export const PLACED_SECRETS = [LINKS, PARAMETERS, USER, FIELDS];
const SECRET_PATTERNS = [...PLACED_SECRETS, SIGNED];
/** A text without these characters matches none of the patterns. */
const MAY_HOLD_SECRET = /[/=@]|eyJ/;

/** Static credentials are free JSON: any member may be a secret. */
const FREE_CREDENTIALS: readonly string[] = SECRET_FIELDS.free;

/** Smaller values of `code` are gRPC codes, not authorization codes. */
const FIRST_CODE = 100;
/** A `code` such as `DOMAIN_BLOCKED` is an error name, not an authorization code. */
const ERROR_NAME = /^[A-Z]+(_[A-Z]+)+$/;

/** What stands in place of a secret. `name`: the member that holds it, if its name says that it is one. */
type SecretText = (secret: string, name?: string) => string;

/** Replaces secrets. A text that is secret in one place of a call is replaced everywhere in the call. */
export class Redaction {
  readonly #secrets: readonly string[];
  #anyOf: RegExp | undefined;
  #standIn: SecretText | undefined;

  /** Collects the secrets in these values by the names of their members. */
  constructor(...values: readonly unknown[]) {
    const found = new Set<string>();
    for (const value of values) collectSecrets(value, found);
    this.#secrets = [...found];
  }

  /** Gives each secret a text of its own, so that it can be seen where the same one is used again. */
  static withStandIns(standIn: SecretText, ...values: readonly unknown[]): Redaction {
    const redaction = new Redaction(...values);
    redaction.#standIn = standIn;
    return redaction;
  }

  /** `name`: the member that holds the value. */
  readonly value = (value: unknown, name?: string): unknown => {
    if (name !== undefined && isSecret(name, value)) return this.#hidden(value, name);
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.value(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.value(member, key)]));
  };

  readonly patch = ({ op, path, ...values }: PatchStep): PatchStep => {
    const [, , , ...names] = path.split('/');
    const shown = (value: unknown) =>
      this.value(
        value,
        names.find((name) => isSecret(name, value)),
      );
    return {
      op,
      path: this.text(path),
      ...('value' in values && { value: shown(values.value) }),
      ...('before' in values && { before: shown(values.before) }),
    };
  };

  text(text: string): string {
    const known = this.#mayHoldKnown(text)
      ? text.replace((this.#anyOf ??= anyOf(this.#secrets)), (secret) => this.#textFor(secret))
      : text;
    if (!MAY_HOLD_SECRET.test(known)) return known;
    const replace = (whole: string, before: string) => before + this.#textFor(whole.slice(before.length));
    return SECRET_PATTERNS.reduce((shown, expression) => shown.replace(expression, replace), known);
  }

  #textFor(secret: string, name?: string): string {
    return this.#standIn?.(secret, name) ?? REDACTED;
  }

  /** Only stand-ins keep the form of the value. */
  #hidden(value: unknown, name: string): unknown {
    if (!this.#standIn) return REDACTED;
    if (typeof value === 'string') return this.#standIn(value, name);
    if (typeof value === 'number') return Number(this.#standIn(String(value), name));
    if (Array.isArray(value)) return value.map((each) => this.#hidden(each, name));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([key, member]) => [key, this.#hidden(member, key)]);
    return Object.fromEntries(members);
  }

  /** To compile the expression for all secrets takes longer than to look for each of a few secrets in a text. */
  #mayHoldKnown(text: string): boolean {
    return this.#secrets.length > FEW || this.#secrets.some((secret) => text.includes(secret));
  }

  /** For a text that is neither JSON nor a form, or was cut. */
  unread(text: string): string {
    return this.text(text.replace(UNREAD_FREE, `$1${REDACTED}`).replace(UNREAD, `$1${REDACTED}`));
  }
}

/** Among more secrets, one expression finds them faster than a search for each. */
const FEW = 20;

type NameKind = 'secret' | 'free credentials' | 'code' | 'harmless';

/** Whether the member with this name holds a secret. Members of an object are judged by their own names. */
export function isSecret(name: string, value: unknown): boolean {
  const kind = kindOf(name);
  if (kind === 'harmless' || value === null) return false;
  if (kind === 'free credentials') return true;
  if (typeof value === 'boolean' || (typeof value === 'object' && !Array.isArray(value))) return false;
  return kind === 'secret' || isSecretCode(value);
}

function isSecretCode(code: unknown): boolean {
  if (typeof code === 'number') return code >= FIRST_CODE;
  return typeof code !== 'string' || !ERROR_NAME.test(code);
}

const KINDS = new Map<string, NameKind>();
/** Callers may invent any number of names of any length. */
const MOST_KINDS = 5000;
const LONGEST_KNOWN_NAME = 100;

function kindOf(name: string): NameKind {
  const known = KINDS.get(name);
  if (known) return known;
  const kind = judge(name);
  if (KINDS.size < MOST_KINDS && name.length <= LONGEST_KNOWN_NAME) KINDS.set(name, kind);
  return kind;
}

/** Checks both spellings (camelCase and snake_case), because bodies are kept as they came. */
function judge(name: string): NameKind {
  const lower = name.toLowerCase();
  const spellings = [snakeCase(name), lower];
  // A form field's name holds the whole path.
  const isFree = (free: string) => spellings.includes(free) || lower.startsWith(`${free}.`);
  if (FREE_CREDENTIALS.some(isFree)) return 'free credentials';
  if (lower === 'code') return 'code';
  const isHidden = spellings.some(
    (each) => SECRET_NAMES.has(each) || (SECRET_ENDING.test(each) && !HARMLESS_NAMES.has(each)),
  );
  return isHidden ? 'secret' : 'harmless';
}

function collectSecrets(value: unknown, found: Set<string>, name?: string): void {
  if (name !== undefined && isSecret(name, value)) return collectAllValues(value, found);
  if (typeof value === 'string') {
    if (!MAY_HOLD_SECRET.test(value)) return;
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

const UNREAD = new RegExp(
  `((?:^|[^A-Za-z0-9_-])["']?(?:${ANY_NAME})["']?\\s*[:=]\\s*)("(?:[^"\\\\]|\\\\[^])*"?|'[^']*'?|[^\\s,;&}\\]]+)`,
  'gi',
);
const UNREAD_FREE = new RegExp(
  `((?:${FREE_CREDENTIALS.join('|').replaceAll('_', '_?')})["']?\\s*[:=]\\s*)[^]+`,
  'gi',
);

/** In bytes. Only the beginning of a longer body is kept. */
export const LARGEST_BODY = 32_768;

/** Cuts a JSON value to the size limit and says how much is left out. */
export function shorten(value: unknown): unknown {
  return shortenValue(value, { left: LARGEST_BODY });
}

interface SizeBudget {
  left: number;
}

/** Approximate size of a value besides its texts: names, commas and brackets. */
const VALUE_OVERHEAD = 8;

function shortenValue(value: unknown, budget: SizeBudget): unknown {
  budget.left -= VALUE_OVERHEAD;
  if (typeof value === 'string') return shortenText(value, budget);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? shortenList(value, budget)
    : shortenObject(value as Record<string, unknown>, budget);
}

function shortenList(list: readonly unknown[], budget: SizeBudget): unknown[] {
  const kept: unknown[] = [];
  while (kept.length < list.length && budget.left > 0) kept.push(shortenValue(list[kept.length], budget));
  const more = list.length - kept.length;
  return more > 0 ? [...kept, `… ${more} more elements`] : kept;
}

function shortenObject(object: Record<string, unknown>, budget: SizeBudget): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  const names = Object.keys(object);
  for (const name of names) {
    if (budget.left <= 0) break;
    budget.left -= name.length;
    kept.push([name, shortenValue(object[name], budget)]);
  }
  const more = names.length - kept.length;
  return Object.fromEntries(more > 0 ? [...kept, ['…', `${more} more members`]] : kept);
}

function shortenText(text: string, budget: SizeBudget): string {
  const kept = beginningOf(text, Math.max(budget.left, 0));
  budget.left -= kept.length;
  return kept.length < text.length ? `${kept}… ${text.length - kept.length} more characters` : text;
}
