/** Where the service answers. `fetch` reaches a service of this process without a port. */
export interface ServiceAddress {
  url: string;
  token?: string | undefined;
  fetch: typeof globalThis.fetch;
}

/** A failure that the agent can mend. The message says what was wrong and what to do. */
export class ToolError extends Error {}

/** A scenario may close the connection. The agent is told so, as its application would be. */
export async function sendCall(
  { url, fetch }: ServiceAddress,
  path: string,
  init: RequestInit,
): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, init);
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown;
    const { message, cause } = thrown as Error & { cause?: Error };
    throw new ToolError(
      `no answer: ${cause?.message ?? message}; if a scenario did that, list_calls and explain_call show it`,
      { cause: thrown },
    );
  }
}
