import { isObject } from '@understudy/text/json';

/** What a function of faker costs in microseconds, measured on one machine: each call, and each unit of its argument. */
type Cost = readonly [call: number, unit?: number];

const USUAL: Cost = [10];

/** Units are characters, words or sentences: what the argument counts, or the characters of its texts. */
const COSTS: Readonly<Record<string, Cost>> = {
  'commerce.isbn': [20],
  'commerce.productDescription': [50],
  'commerce.productName': [50],
  'commerce.upc': [15],
  'company.name': [40],
  'finance.accountNumber': [15, 0.2],
  'finance.bic': [15],
  'finance.creditCardNumber': [15],
  'finance.iban': [20],
  'finance.pin': [15, 0.2],
  'finance.transactionDescription': [100],
  'food.description': [40],
  'food.dish': [15],
  'git.commitSha': [20],
  'hacker.phrase': [20],
  'image.url': [15],
  'internet.displayName': [15, 0.4],
  'internet.domainWord': [15],
  'internet.email': [20, 0.4],
  'internet.exampleEmail': [20, 0.7],
  'internet.httpStatusCode': [15],
  'internet.ip': [20],
  'internet.ipv6': [20],
  'internet.mac': [25],
  'internet.password': [15, 1.3],
  'internet.userAgent': [60],
  'internet.username': [20, 0.4],
  'location.buildingNumber': [15],
  'location.streetAddress': [25],
  'location.zipCode': [15, 0.8],
  'lorem.lines': [30, 5],
  'lorem.paragraph': [25, 5],
  'lorem.paragraphs': [50, 15],
  'lorem.sentence': [15, 0.6],
  'lorem.sentences': [25, 5],
  'lorem.slug': [15, 0.7],
  'lorem.text': [50],
  'lorem.words': [15, 0.6],
  'person.jobTitle': [15],
  'string.alpha': [5, 0.2],
  'string.alphanumeric': [5, 0.2],
  'string.hexadecimal': [5, 0.2],
  'string.nanoid': [50, 3.1],
  'string.numeric': [5, 0.2],
  'string.sample': [5, 0.2],
  'string.symbol': [5, 0.2],
  'string.uuid': [15],
  'system.commonFileName': [20],
  'system.fileExt': [50],
  'system.fileName': [50, 55],
  'system.filePath': [50],
  'system.fileType': [20],
  'vehicle.vin': [40],
  'vehicle.vrm': [15],
  'word.words': [15, 1.4],
};

/** `name`: for example `lorem.words`. Of a range of counts, the larger one is charged. */
export function costOfCall(name: string, args: readonly unknown[]): number {
  const [call, unit = 0] = COSTS[name] ?? USUAL;
  return call + (unit === 0 ? 0 : unit * unitsIn(args));
}

function unitsIn(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value.length;
  if (!isObject(value)) return Array.isArray(value) ? sum(value.map(unitsIn)) : 0;
  const { min, max, ...others } = value;
  return Math.max(unitsIn(min), unitsIn(max)) + sum(Object.values(others).map(unitsIn));
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** Measured: 70 to 130 ms of processor time for most functions. */
const MOST = 200_000;

/** Limits the time that the placeholders of one operation take. */
export class PlaceholderBudget {
  #left = MOST;

  get spent(): number {
    return MOST - this.#left;
  }

  /** Throws RangeError. `placeholder`: for the message. */
  spend(cost: number, placeholder: string): void {
    this.#left -= cost;
    if (this.#left >= 0) return;
    throw new RangeError(
      `the placeholders take more than ${MOST} steps; ${placeholder} takes ${Math.ceil(cost)} each time`,
    );
  }
}
