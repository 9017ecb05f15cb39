// Stands for your application. It calls Scalekit's API at the address that the environment says.
import { createServer } from 'node:http';

const { SCALEKIT_ENVIRONMENT_URL, SCALEKIT_CLIENT_ID, SCALEKIT_CLIENT_SECRET } = process.env;
const ORGANIZATIONS = `${SCALEKIT_ENVIRONMENT_URL}/api/v1/organizations`;

async function accessToken() {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: SCALEKIT_CLIENT_ID,
    client_secret: SCALEKIT_CLIENT_SECRET,
  });
  const response = await fetch(`${SCALEKIT_ENVIRONMENT_URL}/oauth/token`, { method: 'POST', body });
  return (await response.json()).access_token;
}

async function call(options) {
  const headers = { authorization: `Bearer ${await accessToken()}`, 'content-type': 'application/json' };
  return (await fetch(ORGANIZATIONS, { headers, ...options })).json();
}

async function answer(method) {
  if (method === 'POST') {
    const { organization } = await call({ method, body: JSON.stringify({ display_name: 'Globex' }) });
    return organization.display_name;
  }
  const { organizations } = await call();
  return organizations.map(({ display_name }) => display_name).join('\n');
}

createServer((request, response) => {
  answer(request.method).then(
    (text) => response.end(`${text}\n`),
    (error) => response.writeHead(502).end(`${error.message}\n`),
  );
}).listen(3000);
