import { ReportError } from './report-error.ts';
import type { CoverageReport } from './report.ts';

/** A running server, and what to ask it for. */
export interface Source {
  url: string;
  /** undefined: all that the process has had. */
  environment?: string;
  /** The control API's bearer token, where it wants one. */
  token?: string | undefined;
}

const PATIENCE = 10_000;

/** Throws ReportError when there is no server, or when it has no report. */
export async function fetchReport({ url, environment, token }: Source): Promise<CoverageReport> {
  const query = environment === undefined ? '?format=json&environments=all' : '?format=json';
  const headers = {
    ...(environment !== undefined && { 'understudy-environment': environment }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const address = `${url.replace(/\/+$/, '')}/_control/v1/coverage${query}`;
  const response = await ask(url, address, headers);
  const body = (await response.json().catch(() => undefined)) as
    (CoverageReport & { message?: string }) | undefined;
  if (response.status === 200 && body?.format === 1) return body;
  throw new ReportError(`${url} gives no coverage: ${body?.message ?? `it answers ${response.status}`}`);
}

async function ask(url: string, address: string, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(address, { headers, signal: AbortSignal.timeout(PATIENCE) });
  } catch (thrown) {
    const { message, cause } = thrown as Error & { cause?: Error };
    throw new ReportError(
      `nothing answers at ${url}: ${cause?.message || (cause as { code?: string })?.code || message}`,
    );
  }
}
