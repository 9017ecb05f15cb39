/** The command for a program that calls the service without a test helper, so it counts as one test. `call` returns a response. */
export const programOf = (text: string): string[] => [
  process.execPath,
  '--input-type=module',
  '--eval',
  `const url = process.env.SCALEKIT_ENVIRONMENT_URL;
   const form = { grant_type: 'client_credentials', client_id: process.env.SCALEKIT_CLIENT_ID, client_secret: process.env.SCALEKIT_CLIENT_SECRET };
   const { access_token } = await (await fetch(url + '/oauth/token', { method: 'POST', body: new URLSearchParams(form) })).json();
   const headers = { authorization: 'Bearer ' + access_token, 'content-type': 'application/json' };
   const call = (method, path, body) =>
     fetch(url + '/api/v1' + path, { method, headers, body: body && JSON.stringify(body) });
   ${text}`,
];
