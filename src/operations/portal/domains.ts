import { addDomain } from '../domains/domain-creation.ts';
import { findOwnDomain, lookUpRecord } from '../domains/domains.ts';
import type { Operations } from '../handler.ts';
import { catchRefusal, problemOf } from '../hosted/portal.ts';
import { overview } from './overview.ts';
import type { Visit } from './session.ts';
import { redirectTo, withSubmittedForm, requireFeature } from './visit.ts';

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
