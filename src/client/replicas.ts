import { checkOptions, type NamesOf } from './options.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, OwnedEnvironment, ReplicaList } from './types.ts';

/** Which environments of a replica a call lists. */
export interface OwnedPage {
  /** Only names after this one. */
  after?: string;
  /** 100 if omitted, at most 1000. */
  limit?: number;
}

const PAGE: NamesOf<OwnedPage> = { after: true, limit: true };

/** The processes that share a database. */
export class ReplicasControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(options?: CallOptions): Promise<ReplicaList> {
    return this.#transport.call('Control_ListReplicas', {}, options);
  }

  /** In order of name. `replica`: an id, `self` for the process that answers, or `none`. */
  async environments(
    replica: string,
    page: OwnedPage = {},
    options?: CallOptions,
  ): Promise<OwnedEnvironment[]> {
    checkOptions('replicas.environments', page, PAGE);
    const given = { path: { replica }, query: page };
    return (await this.#transport.call('Control_ListReplicaEnvironments', given, options)).environments;
  }
}
