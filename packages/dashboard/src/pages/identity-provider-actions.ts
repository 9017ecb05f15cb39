import type { Idp, IdpControl } from '@understudy/client/control';
import { isObject } from '@understudy/text/json';

/** What the fields of the form say. */
interface Wanted {
  user: string;
  givenName: string | undefined;
  familyName: string | undefined;
  /** The new e-mail address. */
  email: string | undefined;
  groups: string[];
  /** The name of a group. */
  group: string;
  /** The new name of the group. */
  renamed: string;
  /** JSON; empty for a PATCH that breaks the standard. */
  patch: string;
  late: 'cycle' | undefined;
}

type Field = 'user' | 'names' | 'email' | 'groups' | 'group' | 'renamed' | 'patch';

interface IdpAction {
  name: string;
  fields: readonly Field[];
  run: (idp: IdpControl, wanted: Wanted) => Promise<Idp>;
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(text);
    if (isObject(read)) return read;
  } catch {
    // No JSON: refused below.
  }
  throw new Error('PATCH: a JSON object expected');
}

/** An action that needs nothing but the person. */
const ofPerson = (name: string, action: 'offboard' | 'deactivate' | 'activate' | 'delete' | 'recreate') =>
  ({
    name,
    fields: ['user'],
    run: (idp, { user, late }) => idp[action](user, { late }),
  }) satisfies IdpAction;

export const IDP_ACTIONS: Readonly<Record<string, IdpAction>> = {
  create: {
    name: 'Create the person',
    fields: ['user', 'names', 'groups'],
    run: (idp, { user, givenName, familyName, groups, late }) =>
      idp.create(user, { givenName, familyName, groups, late }),
  },
  change: {
    name: 'Rename the person, or change the e-mail address',
    fields: ['user', 'names', 'email'],
    run: (idp, { user, givenName, familyName, email, late }) =>
      idp.change(user, { givenName, familyName, email, late }),
  },
  move: {
    name: 'Move the person between groups',
    fields: ['user', 'groups'],
    run: (idp, { user, groups, late }) => idp.move(user, groups, { late }),
  },
  offboard: ofPerson('Offboard the person', 'offboard'),
  deactivate: ofPerson('Deactivate the person', 'deactivate'),
  activate: ofPerson('Activate the person again', 'activate'),
  delete: ofPerson('Delete the person', 'delete'),
  recreate: ofPerson('Delete the person and create them again', 'recreate'),
  patch: {
    name: 'Send a PATCH for the person',
    fields: ['user', 'patch'],
    run: (idp, { user, patch }) => idp.sendPatch(user, patch ? { patch: objectIn(patch) } : {}),
  },
  createGroup: {
    name: 'Create a group',
    fields: ['group'],
    run: (idp, { group, late }) => idp.createGroup(group, { late }),
  },
  renameGroup: {
    name: 'Rename a group',
    fields: ['group', 'renamed'],
    run: (idp, { group, renamed, late }) => idp.renameGroup(group, renamed, { late }),
  },
  deleteGroup: {
    name: 'Delete a group',
    fields: ['group'],
    run: (idp, { group, late }) => idp.deleteGroup(group, { late }),
  },
};
