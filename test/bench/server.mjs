// Starts a server as a child process and calls it over one kept-alive connection.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

export const OURS = ['dist/understudy.js', 'serve', '--port', '0', '--json', '--log-level', 'error'];
export const BARE = ['test/bench/bare-express.mjs'];
export const BARE_RPC = ['test/bench/bare-rpc.mjs'];

/** Resolves when the child has printed its URL. `channels`: further ones to the child, after its three streams. */
export async function start(args, channels = []) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', ...channels] });
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  });
  const { url, client_id, client_secret } = JSON.parse(line);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const server = { url, client_id, client_secret, child, headers: {}, call, login };
  if (client_id) await login();
  return {
    ...server,
    /** Resident memory in MB. */
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024,
    /** Processor time so far in milliseconds, with a resolution of 10 ms. */
    cpu() {
      const [, , ...fields] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(/\) | /);
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    async stop() {
      agent.destroy();
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await gone;
    },
  };

  async function login() {
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const { access_token } = JSON.parse((await call('POST', '/oauth/token', String(form), type)).text);
    server.headers.authorization = `Bearer ${access_token}`;
  }

  function call(method, path, body, headers = {}) {
    return new Promise((resolve, reject) => {
      const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
      const asking = request(`${url}${path}`, {
        method,
        agent,
        headers: {
          ...server.headers,
          ...(payload && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...headers,
        },
      });
      asking.on('error', reject);
      asking.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      asking.end(payload);
    });
  }
}

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** The median time of a call in milliseconds, after a warm-up. */
export const timed = (times, act) => timedAfter(times, () => {}, act);

/** Like `timed`, with an unmeasured preparation before each call. */
export async function timedAfter(times, prepare, act) {
  const taken = [];
  for (let i = -times / 5; i < times; i += 1) {
    await prepare(i);
    const begun = performance.now();
    await act(i);
    if (i >= 0) taken.push(performance.now() - begun);
  }
  return median(taken);
}
