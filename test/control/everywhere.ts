import { boot, type Agent } from '../support/boot.ts';

const PREFIX = '/_control/v1';

/** Sends calls whose path already has the prefix of the control API. */
export function everywhere(control: Agent): Agent {
  const at = (path: string) => path.replace(PREFIX, '');
  return {
    get: (path) => control.get(at(path)),
    put: (path) => control.put(at(path)),
    post: (path) => control.post(at(path)),
    patch: (path) => control.patch(at(path)),
    delete: (path) => control.delete(at(path)),
  };
}

/** Sends calls to an environment of a separate simulator, so that they cannot affect other tests. */
export async function disposable(name: string): Promise<Agent> {
  const { environment } = await boot();
  const { control } = await environment(name);
  await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
  return everywhere(control);
}
