import { ConnectError, type Interceptor } from '@connectrpc/connect';

/** A caller whose deadline has passed is told so, also while its call still waits. */
export const withDeadline: Interceptor = (next) => (request) => {
  const { signal } = request;
  const passed = new Promise<never>((_, reject) => {
    const give = () => reject(ConnectError.from(signal.reason));
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
  return Promise.race([next(request), passed]);
};
