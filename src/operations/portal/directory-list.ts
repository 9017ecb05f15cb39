import type { Rows } from '../../environment/rows/schema.ts';
import { form, select, switchBadge } from '../../pages/controls.ts';
import { html, type Html } from '../../pages/html.ts';
import { labelled, table } from '../../pages/table.ts';
import type { SectionState } from './connection-list.ts';
import { DIRECTORY_PROVIDERS, providerLabel } from './labels.ts';
import type { Visit } from './session.ts';

type Directory = Rows['directories'];

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
      labelled(env.directory_users.count('directory_id', directory.id)),
      switchBadge(directory),
    ]),
  );

export const directoryName = ({ name, directory_provider }: Directory): string =>
  name || (directory_provider ? providerLabel(directory_provider) : 'Directory');
