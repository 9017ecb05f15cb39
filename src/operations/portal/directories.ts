import { createDirectory, createSecret, toggleDirectory } from '../directories/directories.ts';
import { findDirectory } from '../directories/directory-lookup.ts';
import type { Operations } from '../handler.ts';
import { directoryPage } from './directory-page.ts';
import type { Visit } from './session.ts';
import { redirectTo, withSubmittedForm, withVisit, requireFeature } from './visit.ts';

export const directoryPages = {
  Portal_CreateDirectory({ cookies, body = {} }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      requireFeature(visit, 'dir_sync', 'page', 'directories');
      const { id: organization } = visit.organization;
      const { provider } = body;
      const { id } = createDirectory(env, organization, {
        directory_type: 'SCIM',
        ...(provider && { directory_provider: provider }),
      });
      return redirectTo(visit, `/directories/${id}`, { told: 'created', about: id });
    });
  },

  Portal_ShowDirectory({ path, cookies }, env) {
    return withVisit(env, cookies, (visit) => directoryPage(visit, found(visit, path.directory_id)));
  },

  Portal_SwitchDirectory({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const { id } = found(visit, path.directory_id);
      const told = body?.enabled === 'true' ? 'enabled' : 'disabled';
      const { error_message } = toggleDirectory(env, found(visit, id), told === 'enabled');
      return redirectTo(
        visit,
        `/directories/${id}`,
        error_message === undefined ? { told, about: id } : undefined,
      );
    });
  },

  Portal_CreateDirectorySecret({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const directory = found(visit, path.directory_id);
      const { plain_secret } = createSecret(env, directory);
      return directoryPage(visit, found(visit, directory.id), plain_secret);
    });
  },
} satisfies Partial<Operations>;

function found(visit: Visit, id: string) {
  requireFeature(visit, 'dir_sync', 'directory', id);
  return findDirectory(visit.env, visit.organization.id, id);
}
