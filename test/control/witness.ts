import type { Agent } from '../support/boot.ts';

/**
 * Everything that a refused call must not change, as the control API shows it. The hash covers rows and
 * loaded scenarios; GET /scenarios is left out because it reads every shipped scenario file.
 */
export async function witness(control: Agent) {
  const [hash, clock, requests, mails, environments] = await Promise.all(
    ['/state/hash', '/clock', '/requests', '/state/mails', '/environments'].map(async (path) => {
      const { status, body } = await control.get(path);
      return status === 200 ? body : { status, body };
    }),
  );
  return {
    hash,
    clock: { mode: clock.mode, now: clock.now }, // offset_ms of a frozen clock changes with real time
    requests,
    mails,
    environments: environments.environments.map(({ name }: { name: string }) => name),
  };
}
