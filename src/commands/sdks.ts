/** The official SDKs, by language. */
export const SDKS = ['node', 'python', 'go', 'java'] as const;
export type Sdk = (typeof SDKS)[number];

/** How `understudy env` writes variables. */
export const ENV_FORMATS = ['shell', 'dotenv', 'json'] as const;
