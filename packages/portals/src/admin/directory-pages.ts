import type { Rows } from '@understudy/core/state/env';
import {
  alert,
  copyable,
  form,
  readableTime,
  select,
  switchBadge,
  switchForm,
} from '@understudy/core/pages/controls';
import { html, labelled, table, type Html } from '@understudy/core/pages/html';
import type { CustomReply, Operations } from '@understudy/core/operations/handler';
import {
  createDirectory,
  toggleDirectory,
  viewDirectory,
} from '@understudy/core/operations/directories/directories';
import { findDirectory, trackedGroups } from '@understudy/core/operations/directories/members';
import { createSecret, replaceSecrets } from '@understudy/core/operations/directories/secrets';
import { syncDirectory } from '@understudy/core/operations/directories/sync';
import { DIRECTORY_PROVIDERS, providerLabel, type SectionState } from './connection-list.ts';
import {
  backLink,
  portalPage,
  type Visit,
  redirectTo,
  withSubmittedForm,
  withVisit,
  requireFeature,
} from './visit.ts';

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

  Portal_RegenerateDirectorySecret({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const directory = found(visit, path.directory_id);
      const { plain_secret } = replaceSecrets(env, directory);
      return directoryPage(visit, found(visit, directory.id), plain_secret);
    });
  },

  Portal_SyncDirectory({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const directory = found(visit, path.directory_id);
      // Somebody else may have switched it off since the page was shown.
      if (directory.enabled) syncDirectory(env, directory);
      const notice = directory.enabled ? ({ told: 'synced' } as const) : undefined;
      return redirectTo(visit, `/directories/${directory.id}`, notice);
    });
  },
} satisfies Partial<Operations>;

function found(visit: Visit, id: string) {
  requireFeature(visit, 'dir_sync', 'directory', id);
  return findDirectory(visit.env, visit.organization.id, id);
}

type Directory = Rows['directories'];

/** The part of the overview that is about directories. */
export function directoriesSection(visit: Visit, refused?: SectionState): Html {
  const { env, organization, session } = visit;
  const directories = env.directories.list('organization_id', organization.id);
  const provider = select({
    name: 'provider',
    id: 'directory-provider',
    label: 'Where your users are kept',
    options: DIRECTORY_PROVIDERS,
    value: refused?.filled['provider'],
    problem: refused?.problem.text,
  });
  const adding = html`${provider}<button>Add directory</button>`;
  return html`<section class="card" id="directories">
    <h2>Directory sync</h2>
    ${directories.length === 0 ? html`<p class="faint">No directory yet.</p>` : directoryTable(visit, directories)}
    <details ${(refused || directories.length === 0) && 'open'}>
      <summary>Add a directory</summary>
      ${form({ action: '/portal/directories', csrf_token: session.csrf_token, content: adding })}
    </details>
  </section>`;
}

const directoryTable = ({ env }: Visit, directories: readonly Directory[]): Html =>
  table(
    ['Directory', 'Users', 'State'],
    directories.map((directory) => [
      html`<a href="/portal/directories/${directory.id}">${directoryName(directory)}</a>
        <span class="faint">${directory.directory_type}</span>`,
      labelled(env.directory_users.count('tracked', directory.id)),
      switchBadge(directory),
    ]),
  );

const directoryName = ({ name, directory_provider }: Directory): string =>
  name || (directory_provider ? providerLabel(directory_provider) : 'Directory');

/** Users and groups that the page lists. */
const MOST = 100;

function directoryPage(visit: Visit, directory: Directory, plainSecret?: string): CustomReply {
  const name = directoryName(directory);
  const { directory_endpoint } = viewDirectory(visit.env, directory);
  const body = html`${backLink}
    <section class="card">
      <div class="bar">
        <h1>${name}</h1>
        ${switchBadge(directory)}
      </div>
      <p class="faint"><code>${directory.id}</code> ${directory.directory_type}</p>
      <div class="actions">${switching(visit, directory)}</div>
    </section>
    <section class="card">
      <h2>For your identity provider</h2>
      ${copyable({ name: 'directory_endpoint', label: 'Endpoint', value: directory_endpoint })}
      ${secrets(visit, directory, plainSecret)}
    </section>
    ${people(visit, directory)}`;
  return portalPage(visit, { title: name, body });
}

const switching = ({ session: { csrf_token } }: Visit, { id, enabled }: Directory): Html => {
  const action = `/portal/directories/${id}`;
  const sync = form({
    action: `${action}/sync`,
    csrf_token,
    content: html`<button class="quiet">Sync now</button>`,
    inline: true,
  });
  return html`${enabled && sync}
  ${switchForm({ action: `${action}/switch`, csrf_token, enabled, off: 'bad' })}`;
};

function secrets({ session }: Visit, directory: Directory, plainSecret: string | undefined): Html {
  return html`${
      plainSecret !== undefined &&
      html`${alert('good', 'Copy the new secret now: it is not shown again.')}
      ${copyable({ name: 'directory_secret', label: 'New secret', value: plainSecret })}`
    }
    <h3>Secrets</h3>
    ${
      directory.secrets.length === 0
        ? html`<p class="faint">None yet. The identity provider sends a secret with each call.</p>`
        : html`<ul class="plain rows">
            ${directory.secrets.map(secretItem)}
          </ul>`
    }
    ${secretButton(session, `/portal/directories/${directory.id}/secrets`, 'Make a new secret')}
    ${
      directory.secrets.some(({ status }) => status === 'ACTIVE') &&
      html`${secretButton(session, `/portal/directories/${directory.id}/secrets/regenerate`, 'Replace the secrets')}
        <p class="faint">Replaced secrets are accepted for one more day.</p>`
    }`;
}

const secretButton = ({ csrf_token }: Visit['session'], action: string, label: string): Html =>
  form({ action, csrf_token, content: html`<button class="quiet">${label}</button>`, inline: true });

function secretItem({ secret_suffix, status, create_time }: Directory['secrets'][number]): Html {
  const isActive = status === 'ACTIVE';
  return html`<li>
    <code>…${secret_suffix}</code>
    <span class="badge ${isActive ? 'good' : ''}">${isActive ? 'Active' : 'Inactive'}</span>
    <span class="faint">made ${readableTime(create_time)}</span>
  </li>`;
}

function people({ env }: Visit, { id }: Directory): Html {
  const users = env.directory_users.list('tracked', id);
  const groups = env.directory_groups.list('tracked', id);
  return html`<section class="card">
      <h2>Users</h2>
      ${listOf(
        users,
        (user) => [
          user.email,
          `${user.given_name ?? ''} ${user.family_name ?? ''}`.trim(),
          trackedGroups(env, user)
            .map((group) => group.display_name)
            .join(', '),
        ],
        ['E-mail address', 'Name', 'Groups'],
      )}
    </section>
    <section class="card">
      <h2>Groups</h2>
      ${listOf(
        groups,
        (group) => [group.display_name, String(env.directory_users.count('member', `${id} ${group.id}`))],
        ['Name', 'Users'],
      )}
    </section>`;
}

function listOf<T>(rows: readonly T[], cells: (row: T) => string[], heads: readonly string[]): Html {
  if (rows.length === 0) return html`<p class="faint">None yet.</p>`;
  return html`${table(
    heads,
    rows.slice(0, MOST).map((row) => cells(row).map(labelled)),
  )}
  ${rows.length > MOST && html`<p class="faint">and ${rows.length - MOST} more</p>`}`;
}
