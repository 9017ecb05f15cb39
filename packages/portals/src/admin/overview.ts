import type { Rows } from '@understudy/core/state/env';
import { field, form, readableTime } from '@understudy/core/pages/controls';
import { html, type Html } from '@understudy/core/pages/html';
import type { CustomReply, Operations } from '@understudy/core/operations/handler';
import { type FormProblem, catchRefusal, problemOf } from '../portal.ts';
import { addDomain } from '@understudy/core/operations/domains/domain-creation';
import { findOwnDomain, lookUpRecord } from '@understudy/core/operations/domains/domains';
import { connectionsSection, type SectionState } from './connection-list.ts';
import { directoriesSection } from './directory-pages.ts';
import { portalPage, type Visit, withVisit, redirectTo, withSubmittedForm, requireFeature } from './visit.ts';

const OPENING = '{"features":[{"name":"sso","enabled":true},{"name":"dir_sync","enabled":true}]}';

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
          Nothing is open to be set up here. The application that you came from opens single sign-on and
          directory sync with <code>PATCH /api/v1/organizations/${visit.organization.id}/settings</code> and
          <code>${OPENING}</code>.
        </p>`
      }
    </section>
    ${features.has('sso') && [connectionsSection(visit, of('connections')), domainsSection(visit, of('domains'))]}
    ${features.has('dir_sync') && directoriesSection(visit, of('directories'))}`;
  return portalPage(visit, { title: 'Overview', body, status: refused ? 400 : 200 });
}

type Domain = Rows['domains'];

function domainsSection(visit: Visit, refused?: SectionState): Html {
  const { env, organization, session } = visit;
  const domains = env.domains.list('organization_id', organization.id);
  const adding = html`${field({
      name: 'domain',
      label: 'Domain name',
      value: refused?.filled['domain'],
      hint: 'Such as acme.com. Users with an address of this domain sign in at your identity provider.',
      problem: refused?.problem.text,
      required: true,
    })}<button>Add domain</button>`;
  return html`<section class="card" id="domains">
    <h2>Domains</h2>
    ${
      domains.length === 0
        ? html`<p class="faint">No domain yet.</p>`
        : html`<ul class="plain rows">
            ${domains.map((domain) => item(visit, domain))}
          </ul>`
    }
    <details ${(refused || domains.length === 0) && 'open'}>
      <summary>Add a domain</summary>
      ${form({ action: '/portal/domains', csrf_token: session.csrf_token, content: adding })}
    </details>
  </section>`;
}

function item({ session }: Visit, domain: Domain): Html {
  const act = (verb: string, label: string, kind: string) =>
    form({
      action: `/portal/domains/${domain.id}/${verb}`,
      csrf_token: session.csrf_token,
      content: html`<button class="${kind}" aria-label="${label} ${domain.domain}">${label}</button>`,
      inline: true,
    });
  return html`<li>
    <div class="bar">
      <span><strong>${domain.domain}</strong> ${badge(domain)}</span>
      <span class="actions"
        >${domain.verification_status === 'PENDING' && act('verify', 'Verify', 'quiet')}
        ${act('remove', 'Remove', 'bad')}</span
      >
    </div>
    ${domain.verification_status === 'PENDING' && txtRecord(domain)}
    ${domain.verification_status === 'FAILED' && html`<p class="faint">Its TXT record was not found in time. Remove the domain and add it again for a new one.</p>`}
  </li>`;
}

const BADGES: Record<Domain['verification_status'], readonly [kind: string, text: string]> = {
  PENDING: ['', 'Waiting for DNS'],
  VERIFIED: ['good', 'Verified'],
  AUTO_VERIFIED: ['good', 'Allowed e-mail domain'],
  FAILED: ['bad', 'Not verified'],
};

function badge({ verification_status }: Domain): Html {
  const [kind, text] = BADGES[verification_status];
  return html`<span class="badge ${kind}">${text}</span>`;
}

const txtRecord = ({ txt_record_key, txt_record_secret, verify_before }: Domain): Html =>
  html`<dl>
    <dt>TXT record</dt>
    <dd><code>${txt_record_key}</code></dd>
    <dt>Value</dt>
    <dd><code>${txt_record_secret}</code></dd>
    ${
      verify_before &&
      html`<dt>Until</dt>
        <dd>${readableTime(verify_before)}</dd>`
    }
  </dl>`;

export const domainForms = {
  Portal_AddDomain({ cookies, body = {} }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      requireFeature(visit, 'sso', 'page', 'domains');
      const { domain = '' } = body;
      return catchRefusal(
        () => {
          const { id } = visit.organization;
          addDomain(env, id, { domain: domain.trim(), domain_type: 'ORGANIZATION_DOMAIN' }, 'DNS');
          return redirectTo(visit, '', { told: 'added' });
        },
        (refusal) => overview(visit, { section: 'domains', problem: problemOf(refusal, {}), filled: body }),
      );
    });
  },

  Portal_VerifyDomain({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const told = lookUpRecord(env, found(visit, path.domain_id)) ? 'verified' : 'unverified';
      return redirectTo(visit, '', { told });
    });
  },

  Portal_RemoveDomain({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      env.remove('domains', found(visit, path.domain_id).id);
      return redirectTo(visit, '', { told: 'removed' });
    });
  },
} satisfies Partial<Operations>;

function found(visit: Visit, id: string) {
  requireFeature(visit, 'sso', 'domain', id);
  return findOwnDomain(visit.env, visit.organization.id, id);
}
