import type { Agent } from '../support/boot.ts';

/**
 * All that a refused call must leave as it was, as the control API shows it. The hash is over rows and loaded scenarios;
 * the list of scenarios would read every file of the library.
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
    clock: { mode: clock.mode, now: clock.now }, // how far a frozen one is from real time changes by itself
    requests,
    mails,
    environments: environments.environments.map(({ name }: { name: string }) => name),
  };
}
