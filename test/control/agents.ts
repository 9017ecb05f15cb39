import type { RequestListener } from 'node:http';
import supertest from 'supertest';
import type { Agent } from '../support/boot.ts';
import { serverOf } from '../support/listening.ts';

/** Sends calls with these headers; give the whole path. */
export function agentOf(app: RequestListener, headers: Record<string, string>): Agent {
  const verb = (name: keyof Agent) => (path: string) => supertest(serverOf(app))[name](path).set(headers);
  return {
    get: verb('get'),
    post: verb('post'),
    put: verb('put'),
    patch: verb('patch'),
    delete: verb('delete'),
  };
}
