import type { Faker } from '@faker-js/faker';
import { isObject } from '@understudy/text/json';
import { shortened, suggest } from '@understudy/text/suggestion';
import { costOfCall, type PlaceholderBudget } from './placeholder-costs.ts';

/** A placeholder of faker. The search for its end stops at the next start, so that the cost is linear. */
export const PLACEHOLDER = /\{\{[a-z][\w.]*(?:\((?:(?!\{\{)[^])*?\))?\}\}/g;
const OWN = /^\{\{(param|record)\.(\w+)\}\}$/;
const CALL = /^\{\{(\w+)\.(\w+)(?:\(([^]*)\))?\}\}$/;
const LONGEST_PLACEHOLDER = 500;

/** The kind and the name of `{{param.name}}` and `{{record.number}}`. */
export const ownPlaceholder = (placeholder: string) => OWN.exec(placeholder)?.slice(1);

interface FakerCall {
  module: string;
  name: string;
  args: readonly unknown[];
}

/** A call of faker, or what is wrong with it. */
function readCall(placeholder: string): FakerCall | string {
  const [, module = '', name = '', written = ''] =
    placeholder.length > LONGEST_PLACEHOLDER ? [] : (CALL.exec(placeholder) ?? []);
  const names = Object.hasOwn(FUNCTIONS, module) ? FUNCTIONS[module]!.split(' ') : [];
  if (!names.includes(name)) {
    const known = Object.entries(FUNCTIONS).flatMap(([each, all]) =>
      all.split(' ').map((one) => `${each}.${one}`),
    );
    const hint = module === '' ? '' : suggest(`${module}.${name}`, known);
    return `is none of the allowed placeholders${hint}`;
  }
  try {
    const args = JSON.parse(`[${written}]`) as unknown[];
    return argumentFault(`${module}.${name}`, args) ?? { module, name, args };
  } catch {
    return 'has arguments that are not JSON';
  }
}

function argumentFault(name: string, args: readonly unknown[]): string | undefined {
  const { alone, members = {} }: Argument = ARGUMENTS[name] ?? {};
  const [first] = args;
  if (args.length === 0) return undefined;
  if (args.length > 1) return 'has more than one argument';
  if (alone && KINDS[alone][0](first)) return undefined;
  if (!isObject(first) || Object.keys(members).length === 0)
    return `must have ${alone ? `as its argument ${KINDS[alone][1]}` : 'no such argument'}`;
  for (const [member, value] of Object.entries(first)) {
    const kind = Object.hasOwn(members, member) ? members[member] : undefined;
    if (!kind) return `has no argument ${shortened(member)}${suggest(member, Object.keys(members))}`;
    if (!KINDS[kind][0](value)) return `must have as ${member} ${KINDS[kind][1]}`;
  }
  return undefined;
}

/** Without them, the least number is 0 and the largest 100. */
function isRange(value: unknown): boolean {
  const [min = 0, max = 100]: unknown[] = Array.isArray(value) ? value : [];
  return Number.isSafeInteger(min) && Number.isSafeInteger(max) && Number(min) <= Number(max);
}

const about = (placeholder: string, fault: string) => `${shortened(placeholder)} ${fault}`;

/** What is wrong with the first bad placeholder of a template, at any depth. */
export function placeholderFault(template: unknown): string | undefined {
  if (typeof template === 'string') {
    for (const [placeholder] of template.matchAll(PLACEHOLDER)) {
      const call = ownPlaceholder(placeholder) ? undefined : readCall(placeholder);
      if (typeof call === 'string') return about(placeholder, call);
    }
    return undefined;
  }
  if (typeof template !== 'object' || template === null) return undefined;
  if ('$int' in template && !isRange(template.$int))
    return `{"$int": ${shortened(JSON.stringify(template.$int))}} must have a list of two whole numbers, the smaller one first`;
  for (const each of Object.values(template)) {
    const fault = placeholderFault(each);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The text that faker makes. Throws RangeError that says what is wrong with the placeholder. */
export function callFaker(placeholder: string, faker: Faker, budget: PlaceholderBudget): string {
  const call = readCall(placeholder);
  if (typeof call === 'string') throw new RangeError(about(placeholder, call));
  budget.spend(costOfCall(`${call.module}.${call.name}`, call.args), shortened(placeholder));
  try {
    const functions = faker[call.module as 'string'] as unknown as Record<
      string,
      (...args: unknown[]) => unknown
    >;
    const made = functions[call.name]!(...call.args);
    if (made instanceof Date) return made.toISOString();
    return isObject(made) ? JSON.stringify(made) : String(made);
  } catch (thrown) {
    // Faker throws for a range whose end is before its start, for example.
    throw new RangeError(about(placeholder, `cannot be filled: ${(thrown as Error).message}`));
  }
}

/** The functions of faker that placeholders may call, by module. Each makes a short text unless its arguments say more. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  animal: 'bear bird cat cow dog fish horse insect lion petName rabbit rodent snake type',
  book: 'author format genre publisher series title',
  color: 'human rgb',
  commerce:
    'department isbn price product productAdjective productDescription productMaterial productName upc',
  company: 'buzzAdjective buzzNoun buzzPhrase buzzVerb catchPhrase catchPhraseAdjective catchPhraseNoun name',
  database: 'collation column engine mongodbObjectId type',
  datatype: 'boolean',
  date: 'anytime between birthdate future month past recent soon timeZone weekday',
  finance:
    'accountName accountNumber amount bic creditCardNumber currencyCode currencyName currencySymbol iban pin routingNumber transactionDescription transactionType',
  food: 'adjective description dish ethnicCategory fruit ingredient meat spice vegetable',
  git: 'branch commitMessage commitSha',
  hacker: 'abbreviation adjective ingverb noun phrase verb',
  helpers: 'arrayElement slugify',
  image: 'avatar url',
  internet:
    'displayName domainName domainSuffix domainWord email emoji exampleEmail httpMethod httpStatusCode ip ipv4 ipv6 mac password port protocol url userAgent username',
  location:
    'buildingNumber city continent country countryCode county latitude longitude secondaryAddress state street streetAddress timeZone zipCode',
  lorem: 'lines paragraph paragraphs sentence sentences slug text word words',
  music: 'album artist genre songName',
  number: 'float int',
  person:
    'bio firstName fullName gender jobArea jobDescriptor jobTitle jobType lastName middleName prefix sex suffix zodiacSign',
  phone: 'imei number',
  string: 'alpha alphanumeric hexadecimal nanoid numeric sample symbol ulid uuid',
  system:
    'commonFileExt commonFileName commonFileType cron directoryPath fileExt fileName filePath fileType mimeType semver',
  vehicle: 'bicycle color fuel manufacturer model type vehicle vin vrm',
  word: 'adjective adverb conjunction interjection noun preposition sample verb words',
};

const MOST = 1000;
const MOST_DIGITS = 15;
const LONGEST_TEXT = 200;
const LONGEST_LIST = 100;

const isWhole = (value: unknown, most: number) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;

const isText = (value: unknown) => typeof value === 'string' && value.length <= LONGEST_TEXT;

const wordOf = (...words: readonly unknown[]) =>
  [(value: unknown) => words.includes(value), `one of ${words.join(', ')}`] as const;

/** What arguments may be, and how a message names it. */
const KINDS = {
  count: [(value: unknown) => isCount(value), `a whole number from 0 to ${MOST}, or their min and max`],
  digits: [(value: unknown) => isWhole(value, MOST_DIGITS), `a whole number from 0 to ${MOST_DIGITS}`],
  number: [
    (value: unknown) => typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER,
    'a number with at most 15 digits',
  ],
  step: [(value: unknown) => typeof value === 'number' && value >= 1e-9 && value <= 1e9, 'a number over 0'],
  text: [isText, `a text of at most ${LONGEST_TEXT} characters`],
  time: [(value: unknown) => isText(value) && !Number.isNaN(Date.parse(String(value))), 'a time'],
  flag: [(value: unknown) => typeof value === 'boolean', 'true or false'],
  casing: wordOf('upper', 'lower', 'mixed'),
  country: wordOf('alpha-2', 'alpha-3', 'numeric'),
  sex: wordOf('female', 'male', 'generic'),
  list: [
    (value: unknown) =>
      Array.isArray(value) && value.length > 0 && value.length <= LONGEST_LIST && !value.some(isObject),
    `a list of 1 to ${LONGEST_LIST} texts or numbers`,
  ],
} satisfies Record<string, readonly [(value: unknown) => boolean, string]>;

type Kind = keyof typeof KINDS;

const isCount = (value: unknown): boolean =>
  isObject(value)
    ? Object.entries(value).every(([name, each]) => /^(min|max)$/.test(name) && isWhole(each, MOST))
    : isWhole(value, MOST);

/** The argument of a function: of one kind, or an object with these members. */
interface Argument {
  alone?: Kind;
  members?: Readonly<Record<string, Kind>>;
}

const COUNT: Argument = { alone: 'count' };
const TEXT: Argument = { alone: 'text' };
const SEX: Argument = { alone: 'sex' };
const NAMES: Argument = { members: { firstName: 'text', lastName: 'text', provider: 'text' } };
const AMOUNT: Argument = { members: { min: 'number', max: 'number', dec: 'digits', symbol: 'text' } };
const LENGTH: Argument = { alone: 'count', members: { length: 'count', casing: 'casing' } };
const PLACE: Argument = { members: { min: 'number', max: 'number', precision: 'digits' } };

const ARGUMENTS: Readonly<Record<string, Argument>> = {
  'commerce.price': AMOUNT,
  'date.between': { members: { from: 'time', to: 'time' } },
  'date.future': { members: { years: 'count' } },
  'date.past': { members: { years: 'count' } },
  'date.recent': { members: { days: 'count' } },
  'date.soon': { members: { days: 'count' } },
  'finance.accountNumber': COUNT,
  'finance.amount': AMOUNT,
  'finance.pin': COUNT,
  'helpers.arrayElement': { alone: 'list' },
  'helpers.slugify': TEXT,
  'internet.displayName': NAMES,
  'internet.email': NAMES,
  'internet.exampleEmail': NAMES,
  'internet.password': { members: { length: 'count', prefix: 'text' } },
  'internet.username': NAMES,
  'location.countryCode': { alone: 'country' },
  'location.latitude': PLACE,
  'location.longitude': PLACE,
  'location.state': { members: { abbreviated: 'flag' } },
  'location.streetAddress': { alone: 'flag' },
  'location.zipCode': TEXT,
  'lorem.lines': COUNT,
  'lorem.paragraph': COUNT,
  'lorem.paragraphs': COUNT,
  'lorem.sentence': COUNT,
  'lorem.sentences': COUNT,
  'lorem.slug': COUNT,
  'lorem.word': COUNT,
  'lorem.words': COUNT,
  'number.float': {
    alone: 'number',
    members: { min: 'number', max: 'number', fractionDigits: 'digits', multipleOf: 'step' },
  },
  'number.int': { alone: 'number', members: { min: 'number', max: 'number', multipleOf: 'step' } },
  'person.firstName': SEX,
  'person.lastName': SEX,
  'string.alpha': LENGTH,
  'string.alphanumeric': LENGTH,
  'string.hexadecimal': { members: { length: 'count', casing: 'casing', prefix: 'text' } },
  'string.nanoid': COUNT,
  'string.numeric': { alone: 'count', members: { length: 'count', allowLeadingZeros: 'flag' } },
  'string.sample': COUNT,
  'string.symbol': COUNT,
  'system.fileName': { members: { extensionCount: 'digits' } },
  'word.words': COUNT,
};
