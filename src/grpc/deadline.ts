import { ConnectError, type Interceptor } from '@connectrpc/connect';

/** A caller whose deadline has passed is told so, also while its call still waits. */
export const withDeadline: Interceptor = (next) => (request) => {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const give = () => reject(ConnectError.from(signal.reason));
    if (signal.aborted) return give();
    signal.addEventListener('abort', give, { once: true });
    // Every signal aborts in the end: one that comes after the answer is no news.
    const done = () => signal.removeEventListener('abort', give);
    next(request).finally(done).then(resolve, reject);
  });
};
