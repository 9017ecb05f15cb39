import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { Entry } from '../environments/entry.ts';
import { ApiError, type ErrorShape } from '../errors.ts';
import { header, type Call, type Reply } from './call.ts';
import { preferred } from './preferred.ts';

interface Promises {
  readonly contract: Contract;
  readonly report: (message: string, cause: unknown) => void;
}

/** What the caller hears of a failure. It keeps the contract as every answer does. */
export async function failure(
  error: ApiError,
  operation: Operation | undefined,
  call: Call,
  { contract, report }: Promises,
  entry: Entry,
): Promise<Reply> {
  const { violations, cause } = error.parts;
  if (violations) entry.note({ violations });
  if (error.failure === 'contract_violation') entry.note({ response: error.message });
  if (cause !== undefined) {
    entry.note({ cause });
    report(`${call.method} ${call.path}`, cause);
  }
  if (!operation) return failed(error, isBrowser(call) ? 'page' : 'envelope');
  const reply = await failed(error, operation.errorShape);
  try {
    check(reply, operation, contract);
    return reply;
  } catch (broken) {
    entry.note({ response: ApiError.from(broken).message });
    return failed(ApiError.from(broken), operation.errorShape);
  }
}

/** A person who has followed a link, or typed an address. */
const isBrowser = (call: Call) =>
  (call.method === 'GET' || call.method === 'HEAD') && preferred(header(call, 'accept') ?? '*/*') === 'html';

async function failed(error: ApiError, shape: ErrorShape): Promise<Reply> {
  const { status } = error;
  const headers = { ...error.parts.headers };
  if (shape !== 'page') return { status, headers, body: error.body(shape) };
  const { errorPage } = await import('../pages/error-page.ts');
  const page = errorPage(error);
  return { status, headers: { ...headers, ...page.headers }, body: page.markup };
}

function check({ status, body }: Reply, operation: Operation, contract: Contract): void {
  if (operation.errorShape === 'page') contract.checkMediaType(operation, status, 'text/html');
  else contract.checkResponse(operation, status, body);
}
