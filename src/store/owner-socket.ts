import { connect, createServer, type Server } from 'node:net';

/** Listens at the path as a sign of life; does not keep the process alive. */
export async function listenAt(path: string): Promise<Server> {
  const server = createServer((caller) => caller.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, exclusive: true }, resolve);
  });
  return server.unref();
}

export async function closeServer(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

const ABANDONED = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'];

/** Only a refused connection proves that nobody listens; a full queue or a missing right does not. */
export async function isAbandoned(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const caller = connect(path, () => {
      caller.destroy();
      resolve(false);
    });
    caller.once('error', (error: NodeJS.ErrnoException) => resolve(ABANDONED.includes(error.code ?? '')));
  });
}
