import { KNOWN_CREDENTIALS } from '../../src/config.ts';
import { tokenOf, type Agent, type Booted } from './boot.ts';

/** Lets time pass. By then the client's token may be out of date: these are its calls with a new one. */
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
