import type { Organization } from './organization-model.ts';

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

export interface Known extends Organization {
  id: string;
  externalId: string;
}

interface Row {
  id: string;
  display_name: string;
  external_id?: string;
  metadata: { value?: string };
}

/** Calls one environment through any replica. Each call resolves to undefined if no answer came. */
export class OrganizationsClient {
  readonly environment: string;
  readonly #headers: Record<string, string>;
  readonly #patience: () => number;

  /** `patience`: draws the milliseconds after which the caller no longer waits for an answer. */
  constructor(environment: string, token: string, patience: () => number) {
    this.environment = environment;
    this.#headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'understudy-environment': environment,
    };
    this.#patience = patience;
  }

  create(url: string, externalId: string, { born, value }: Organization): Promise<Answer | undefined> {
    const body = { display_name: born, external_id: externalId, metadata: { value } };
    return this.#call(url, 'POST', '/api/v1/organizations', body);
  }

  update(url: string, id: string, value: string): Promise<Answer | undefined> {
    return this.#call(url, 'PATCH', `/api/v1/organizations/${id}`, { metadata: { value } });
  }

  remove(url: string, id: string): Promise<Answer | undefined> {
    return this.#call(url, 'DELETE', `/api/v1/organizations/${id}`);
  }

  read(url: string, externalId: string): Promise<Answer | undefined> {
    return this.#call(url, 'GET', `/api/v1/organizations:external/${externalId}`);
  }

  list(url: string): Promise<Answer | undefined> {
    return this.#call(url, 'GET', '/_control/v1/state/organizations');
  }

  async #call(url: string, method: string, path: string, body?: object): Promise<Answer | undefined> {
    try {
      const response = await fetch(url + path, {
        method,
        headers: this.#headers,
        signal: AbortSignal.timeout(this.#patience()),
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: JSON.parse(text || '{}') as Record<string, unknown> };
    } catch {
      return undefined;
    }
  }
}

/** The organization in the answer to a creation or a read. */
export const organizationIn = (body: Record<string, unknown>): Known => knownOf(body['organization'] as Row);

/** The organizations in the answer to a list. */
export const organizationsIn = (body: Record<string, unknown>): Known[] =>
  (body['rows'] as Row[]).map(knownOf);

const knownOf = ({ id, display_name: born, external_id: externalId = '', metadata }: Row): Known => ({
  id,
  externalId,
  born,
  value: metadata.value ?? '',
});
