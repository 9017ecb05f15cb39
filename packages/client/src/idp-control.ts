import type { Duration } from '@understudy/core/contract/name-patterns';
import { CALL, checkOptions, type NamesOf, type Transport } from './transport.ts';
import { durationText, type CallOptions, type Idp, type IdpAction, type Loose } from './types.ts';

export type IdpProvider = NonNullable<IdpAction['provider']>;

export interface IdpOptions {
  /** The organization whose directory gets the pushes. If it has none for the provider, one is made. */
  organization?: string | undefined;
  /** The directory that gets the pushes. */
  directory?: string | undefined;
}

export interface PushOptions extends CallOptions {
  /** Pushes later by the environment's clock: after `40m`, or with `cycle` when the provider usually does. */
  late?: Duration | 'cycle' | undefined;
}

export interface PersonOptions extends PushOptions {
  givenName?: string | undefined;
  familyName?: string | undefined;
  /** Names; missing groups are made. */
  groups?: readonly string[] | undefined;
}

export interface PersonChange extends PushOptions {
  givenName?: string | undefined;
  familyName?: string | undefined;
  email?: string | undefined;
}

export interface PatchOptions extends CallOptions {
  /** A mistake that the provider could make, if omitted. */
  patch?: Readonly<Record<string, unknown>> | undefined;
}

/** An identity provider that pushes people and groups over SCIM. People are named by their e-mail address. */
export class IdpControl {
  readonly #transport: Transport;
  readonly #provider: IdpProvider | undefined;
  readonly #wanted: IdpOptions;

  /** @internal */
  constructor(transport: Transport, provider: IdpProvider | undefined, wanted: IdpOptions) {
    checkOptions('idp', wanted, TARGET);
    this.#transport = transport;
    this.#provider = provider;
    this.#wanted = wanted;
  }

  /** Pushes everybody and every group, even what has not changed. */
  pushAll(options?: PushOptions): Promise<Idp> {
    return this.#push('pushAll', { action: 'push_all' }, options);
  }

  create(user: string, wanted: PersonOptions = {}): Promise<Idp> {
    checkOptions('idp.create', wanted, PERSON);
    const { groups, ...options } = wanted;
    return this.#person('create', { user, groups: groups && [...groups] }, options);
  }

  /** Renames the person, or changes their e-mail address. */
  change(user: string, wanted: PersonChange): Promise<Idp> {
    checkOptions('idp.change', wanted, CHANGE);
    const { email, ...options } = wanted;
    return this.#person('change', { user, email }, options);
  }

  /** Puts the person into these groups, and takes them out of all others. */
  move(user: string, groups: readonly string[], options?: PushOptions): Promise<Idp> {
    return this.#push('move', { action: 'move', user, groups: [...groups] }, options);
  }

  deactivate(user: string, options?: PushOptions): Promise<Idp> {
    return this.#push('deactivate', { action: 'deactivate', user }, options);
  }

  activate(user: string, options?: PushOptions): Promise<Idp> {
    return this.#push('activate', { action: 'activate', user }, options);
  }

  delete(user: string, options?: PushOptions): Promise<Idp> {
    return this.#push('delete', { action: 'delete', user }, options);
  }

  /** Deletes the person and creates another one with the same e-mail address. */
  recreate(user: string, options?: PushOptions): Promise<Idp> {
    return this.#push('recreate', { action: 'recreate', user }, options);
  }

  /** What the provider does when somebody leaves: Entra ID deactivates, and deletes after 30 days. */
  offboard(user: string, options?: PushOptions): Promise<Idp> {
    return this.#push('offboard', { action: 'offboard', user }, options);
  }

  createGroup(group: string, options?: PushOptions): Promise<Idp> {
    return this.#push('createGroup', { action: 'create_group', group_name: group }, options);
  }

  renameGroup(group: string, name: string, options?: PushOptions): Promise<Idp> {
    return this.#push('renameGroup', { action: 'rename_group', group_name: group, new_name: name }, options);
  }

  deleteGroup(group: string, options?: PushOptions): Promise<Idp> {
    return this.#push('deleteGroup', { action: 'delete_group', group_name: group }, options);
  }

  /** Pushes now what waits, and tries again what failed. */
  sync(options?: CallOptions): Promise<Idp> {
    return this.#act({ action: 'sync' }, options);
  }

  /** Sends one PATCH for the person. */
  async sendPatch(user: string, wanted: PatchOptions = {}): Promise<Idp> {
    checkOptions('idp.sendPatch', wanted, PATCH);
    const { patch, ...options } = wanted;
    return this.#act({ action: 'send_patch', user, patch: patch && { ...patch } }, options);
  }

  #person(
    action: 'create' | 'change',
    rest: Omit<Loose<IdpAction>, 'action'>,
    { givenName, familyName, ...options }: PersonOptions,
  ): Promise<Idp> {
    const names = { given_name: givenName, family_name: familyName };
    return this.#push(action, { action, ...rest, ...names }, options);
  }

  async #push(call: string, action: Loose<IdpAction>, wanted: PushOptions = {}): Promise<Idp> {
    checkOptions(`idp.${call}`, wanted, PUSH);
    const { late, ...options } = wanted;
    const text = late === undefined || late === 'cycle' ? late : durationText(late);
    return this.#act({ ...action, late: text }, options);
  }

  #act(action: Loose<IdpAction>, options?: CallOptions): Promise<Idp> {
    const { organization: organization_id, directory: directory_id } = this.#wanted;
    const body = { provider: this.#provider, organization_id, directory_id, ...action };
    return this.#transport.call('Control_ActAsIdp', { body }, options);
  }
}

const TARGET: NamesOf<IdpOptions> = { organization: true, directory: true };
const PUSH: NamesOf<PushOptions> = { ...CALL, late: true };
const PERSON: NamesOf<PersonOptions> = { ...PUSH, givenName: true, familyName: true, groups: true };
const CHANGE: NamesOf<PersonChange> = { ...PUSH, givenName: true, familyName: true, email: true };
const PATCH: NamesOf<PatchOptions> = { ...CALL, patch: true };
