import { ScalekitClient } from '@scalekit-sdk/node';

export const appUrl = process.env.APP_URL ?? 'http://localhost:3000';
export const redirectUri = `${appUrl}/callback`;

let client;

/** `next build` loads this module without the variables, so the client is made at its first use. */
export function scalekit() {
  const {
    SCALEKIT_ENVIRONMENT_URL: url,
    SCALEKIT_CLIENT_ID: id,
    SCALEKIT_CLIENT_SECRET: secret,
  } = process.env;
  client ??= new ScalekitClient(url, id, secret);
  return client;
}
