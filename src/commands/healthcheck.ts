import { request } from 'node:http';

/** Whether a service on this machine answers that it is ready. */
export function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = request(
      { host: '127.0.0.1', port, path: '/_control/v1/health', timeout: 3000 },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    asking.on('timeout', () => asking.destroy());
    asking.on('error', () => resolve(false));
    asking.end();
  });
}
