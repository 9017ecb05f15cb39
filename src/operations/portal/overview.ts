import { html } from '../../pages/html.ts';
import type { CustomReply } from '../custom-reply.ts';
import type { Operations } from '../handler.ts';
import { connectionsSection } from './connection-list.ts';
import { directoriesSection } from './directory-list.ts';
import { domainsSection } from './domain-list.ts';
import { portalPage } from './portal-page.ts';
import type { FormProblem } from '../problem.ts';
import type { Visit } from './session.ts';
import { withVisit } from './visit.ts';

export const overviewPages = {
  Portal_Show({ cookies }, env) {
    return withVisit(env, cookies, (visit) => overview(visit));
  },
} satisfies Partial<Operations>;

/** A rejected form of the overview, by its section. */
interface RejectedForm {
  section: 'connections' | 'domains' | 'directories';
  problem: FormProblem;
  filled: Readonly<Record<string, string | undefined>>;
}

export function overview(visit: Visit, refused?: RejectedForm): CustomReply {
  const { features } = visit;
  const of = (section: RejectedForm['section']) => (refused?.section === section ? refused : undefined);
  const body = html`<section class="card">
      <h1>Admin portal</h1>
      <p class="faint">How the people of ${visit.organization.display_name} sign in.</p>
      ${
        features.size === 0 &&
        html`<p class="alert note">
          Nothing is open to be set up here. Single sign-on and directory sync are switched on for an
          organization by the application that you came from.
        </p>`
      }
    </section>
    ${features.has('sso') && [connectionsSection(visit, of('connections')), domainsSection(visit, of('domains'))]}
    ${features.has('dir_sync') && directoriesSection(visit, of('directories'))}`;
  return portalPage(visit, { title: 'Overview', body, status: refused ? 400 : 200 });
}
