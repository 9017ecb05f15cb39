import type { Rows } from '../../environment/rows/schema.ts';
import { field, form, readableTime } from '../../pages/controls.ts';
import { html, type Html } from '../../pages/html.ts';
import type { SectionState } from './connection-list.ts';
import type { Visit } from './session.ts';

type Domain = Rows['domains'];

export function domainsSection(visit: Visit, refused?: SectionState): Html {
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
