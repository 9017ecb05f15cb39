/** A call that the service has refused, or that got no answer. */
export class CallError extends Error {
  constructor(message, { status, retryAfter, isLost = false } = {}) {
    super(message);
    this.status = status;
    /** Seconds. */
    this.retryAfter = retryAfter;
    /** Whether the service may have carried the call out. */
    this.isLost = isLost;
  }
}

const MOST = 10;
const LONGEST_PAUSE = 400;

const passing = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Calls the service with a token of the client, and tries again what fails for a moment. */
export function createCaller({ url, clientId, clientSecret }) {
  let known;

  async function tokenOf(isNew) {
    if (isNew) known = undefined;
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const body = new URLSearchParams(form);
    return (known ??= (await again(() => send(`${url}/oauth/token`, { method: 'POST', body }))).access_token);
  }

  /**
   * `retries`: 'all', or 'unless lost' for what must not happen twice. `found`: what a call has done whose answer was lost, if it
   * was carried out.
   */
  async function call(
    method,
    path,
    { body, retries = 'all', found, waits = true, renews = true, timeout = 3000 } = {},
  ) {
    let isNew = false;
    return again(
      async () => {
        const headers = {
          authorization: `Bearer ${await tokenOf(isNew)}`,
          'content-type': 'application/json',
        };
        const text = body && JSON.stringify(body);
        return send(`${url}/api/v1${path}`, { method, headers, body: text, timeout });
      },
      (error) => {
        isNew = renews && error.status === 401 && !isNew;
        if (error.status === 401) return isNew;
        if (error.status === 429) return waits;
        return error.isLost ? retries === 'all' : error.status >= 500;
      },
      found,
    );
  }

  return call;
}

/** Repeats what fails for a moment, each time after a longer pause. */
async function again(
  run,
  mayRepeat = ({ isLost, status }) => isLost || status === 429 || status >= 500,
  found,
) {
  for (let pause = 50, tries = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE), tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries === MOST || !mayRepeat(error)) throw error;
      await passing(error.retryAfter === undefined ? pause : error.retryAfter * 1000);
      const done = error.isLost && (await found?.());
      if (done) return done;
    }
  }
}

async function send(address, { timeout = 3000, ...options }) {
  const { method } = options;
  const signal = timeout === Infinity ? undefined : AbortSignal.timeout(timeout);
  const lost = (error) => new CallError(`${method} ${address}: ${error.message}`, { isLost: true });
  const response = await fetch(address, { ...options, signal }).catch((error) => Promise.reject(lost(error)));
  const text = await response.text().catch((error) => Promise.reject(lost(error)));
  const { status } = response;
  if (response.ok) return JSON.parse(text || '{}');
  const retryAfter = response.headers.has('retry-after')
    ? Number(response.headers.get('retry-after'))
    : undefined;
  const message = `${method} ${address} answered ${status}: ${text}`;
  // A gateway says 503 or 504 even if the service behind it has carried the call out.
  throw new CallError(message, { status, retryAfter, isLost: status === 503 || status === 504 });
}
