import { createDirectory, toggleDirectory } from '../directories/directories.ts';
import { findDirectory } from '../directories/directory-lookup.ts';
import { createSecret } from '../directories/secrets.ts';
import type { Operations } from '../handler.ts';
import { directoryPage } from './directory-page.ts';
import { goOn, submitting, visiting, wantFeature, type Visit } from './visit.ts';

export const directoryPages = {
  Portal_CreateDirectory({ cookies, body = {} }, world) {
    return submitting(world, cookies, body, (visit) => {
      wantFeature(visit, 'dir_sync', 'page', 'directories');
      const { id: organization } = visit.organization;
      const { provider } = body;
      const { id } = createDirectory(world, organization, {
        directory_type: 'SCIM',
        ...(provider && { directory_provider: provider }),
      });
      return goOn(visit, `/directories/${id}`, { told: 'created', about: id });
    });
  },

  Portal_ShowDirectory({ path, cookies }, world) {
    return visiting(world, cookies, (visit) => directoryPage(visit, found(visit, path.directory_id)));
  },

  Portal_SwitchDirectory({ path, cookies, body }, world) {
    return submitting(world, cookies, body, (visit) => {
      const { id } = found(visit, path.directory_id);
      const told = body?.enabled === 'true' ? 'enabled' : 'disabled';
      const { error_message } = toggleDirectory(world, found(visit, id), told === 'enabled');
      return goOn(visit, `/directories/${id}`, error_message === undefined ? { told, about: id } : undefined);
    });
  },

  Portal_CreateDirectorySecret({ path, cookies, body }, world) {
    return submitting(world, cookies, body, (visit) => {
      const directory = found(visit, path.directory_id);
      const { plain_secret } = createSecret(world, directory);
      return directoryPage(visit, found(visit, directory.id), plain_secret);
    });
  },
} satisfies Partial<Operations>;

function found(visit: Visit, id: string) {
  wantFeature(visit, 'dir_sync', 'directory', id);
  return findDirectory(visit.world, visit.organization.id, id);
}
