import { ConnectionError, ControlClient } from '@understudy/client/control';
import { waysTo } from '../server/address.ts';

/** A running service and one of its environments. */
export interface Target {
  url: string;
  environment: string;
  /** The token of the control API. */
  token: string | undefined;
}

/** Finds the running service. Throws ConnectionError if nothing answers, ControlError for a refused token. */
export async function connect({ url, token }: Omit<Target, 'environment'>): Promise<ControlClient> {
  let failure: ConnectionError | undefined;
  for (const address of waysTo(url)) {
    const control = new ControlClient(address, token === undefined ? {} : { token });
    try {
      await control.health();
      return control;
    } catch (thrown) {
      if (!(thrown instanceof ConnectionError)) throw thrown;
      failure ??= thrown;
    }
  }
  const remedy = 'start the service, or say with --url where it is';
  throw new ConnectionError(`nothing answers at ${url}: ${remedy} (${failure?.message})`, { cause: failure });
}

/** Pads the cells so that the columns of all rows are aligned. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
