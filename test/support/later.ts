import { KNOWN_CREDENTIALS } from '../../src/start/config.ts';
import { tokenOf, type Agent, type Booted } from './boot.ts';

/** Advances the clock and returns an agent with a new token, because the old one may have expired. */
export async function later({ api, control, understudy }: Booted, by: string): Promise<Agent> {
  await control.post('/clock/advance').send({ by }).expect(200);
  const authorization = `Bearer ${await tokenOf(understudy.app, KNOWN_CREDENTIALS)}`;
  const verb = (name: keyof Agent) => (path: string) => api[name](path).set({ authorization });
  return {
    get: verb('get'),
    post: verb('post'),
    put: verb('put'),
    patch: verb('patch'),
    delete: verb('delete'),
  };
}
