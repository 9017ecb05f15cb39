import { waysTo } from '../server/address.ts';
import { ReportError, type CoverageReport } from '../coverage/report.ts';

/** A running server, and the report to ask it for. */
export interface ReportSource {
  url: string;
  /** undefined: all environments of the process. */
  environment?: string;
  /** The bearer token of the control API, if it requires one. */
  token?: string | undefined;
}

const TIMEOUT = 10_000;

/** Throws ReportError if there is no server or it has no report. */
export async function fetchReport(source: ReportSource): Promise<CoverageReport> {
  let failure: ReportError | undefined;
  for (const way of waysTo(source.url)) {
    const found = await requestReport(way, source);
    if (!(found instanceof ReportError)) return found;
    failure ??= found;
  }
  throw failure!;
}

async function requestReport(
  way: string,
  { url, environment, token }: ReportSource,
): Promise<CoverageReport | ReportError> {
  const query = environment === undefined ? '?format=json&environments=all' : '?format=json';
  const headers = {
    ...(environment !== undefined && { 'understudy-environment': environment }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const address = `${way.replace(/\/+$/, '')}/_control/v1/coverage${query}`;
  try {
    const response = await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT) });
    const body = (await response.json().catch(() => undefined)) as
      (CoverageReport & { message?: string }) | undefined;
    if (response.status === 200 && body?.format === 1) return body;
    return new ReportError(
      `${url} did not return coverage: ${body?.message ?? `it answers ${response.status}`}`,
    );
  } catch (thrown) {
    const { message, cause } = thrown as Error & { cause?: Error };
    const reason = cause?.message || (cause as { code?: string })?.code || message;
    return new ReportError(`nothing answers at ${url}: ${reason}`);
  }
}
