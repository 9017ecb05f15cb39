/** Where the service answers. `fetch` reaches a service of this process without a port. */
export interface ServiceAddress {
  url: string;
  token?: string | undefined;
  fetch: typeof globalThis.fetch;
}

/** A failure that the agent can mend. The message says what was wrong and what to do. */
export class ToolError extends Error {}
