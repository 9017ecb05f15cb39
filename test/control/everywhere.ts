import type { RequestListener } from 'node:http';
import { agent, boot, type Agent } from '../support/boot.ts';

/** Sends calls to an environment. Paths are whole, as the document has them. */
export const everywhere = (app: RequestListener, environment: string): Agent =>
  agent(app, '', { 'understudy-environment': environment });

/** Sends calls to an environment of a separate simulator, so that they cannot affect other tests. */
export async function disposable(name: string): Promise<Agent> {
  const { environment, understudy } = await boot();
  const { control } = await environment(name);
  await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
  return everywhere(understudy.app, name);
}
