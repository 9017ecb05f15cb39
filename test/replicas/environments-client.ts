import type { Answer } from './organizations-client.ts';

/** Calls the control API of any replica. Each call resolves to undefined if no answer came. */
export class EnvironmentsClient {
  readonly #patience: number;

  /** `patience`: milliseconds after which nobody waits for an answer. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  create(url: string, name: string): Promise<Answer | undefined> {
    return this.#call(url, 'POST', '', { name, fixture: 'empty', persist: true });
  }

  fork(url: string, from: string, name: string): Promise<Answer | undefined> {
    return this.#call(url, 'POST', `/${from}/fork`, { name });
  }

  find(url: string, name: string): Promise<Answer | undefined> {
    return this.#call(url, 'GET', `/${name}`);
  }

  drop(url: string, name: string): Promise<Answer | undefined> {
    return this.#call(url, 'DELETE', `/${name}`);
  }

  organizations(url: string, name: string): Promise<Answer | undefined> {
    return this.#call(url, 'GET', `/${name}/state/organizations`);
  }

  /** Adds the organization, or replaces it. */
  put(url: string, name: string, id: string): Promise<Answer | undefined> {
    const times = { create_time: 'now', update_time: 'now' };
    const row = { display_name: id, region_code: 'US', metadata: {}, ...times };
    return this.#call(url, 'PUT', `/${name}/state/organizations/${id}`, row);
  }

  save(url: string, name: string, snapshot: string): Promise<Answer | undefined> {
    return this.#call(url, 'POST', `/${name}/snapshots`, { name: snapshot });
  }

  restore(url: string, name: string, snapshot: string): Promise<Answer | undefined> {
    return this.#call(url, 'POST', `/${name}/snapshots/${snapshot}/restore`);
  }

  reset(url: string, name: string): Promise<Answer | undefined> {
    return this.#call(url, 'POST', `/${name}/reset`);
  }

  async #call(url: string, method: string, path: string, body?: object): Promise<Answer | undefined> {
    try {
      const response = await fetch(`${url}/_control/v1/environments${path}`, {
        method,
        signal: AbortSignal.timeout(this.#patience),
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: JSON.parse(text || '{}') as Record<string, unknown> };
    } catch {
      return undefined;
    }
  }
}
