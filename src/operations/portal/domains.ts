import { addDomain } from '../domains/domain-creation.ts';
import { findOwnDomain, lookUp } from '../domains/domains.ts';
import type { Operations } from '../handler.ts';
import { attempt, problemOf } from '../problem.ts';
import { overview } from './overview.ts';
import { goOn, submitting, wantFeature, type Visit } from './visit.ts';

export const domainForms = {
  Portal_AddDomain({ cookies, body = {} }, env) {
    return submitting(env, cookies, body, (visit) => {
      wantFeature(visit, 'sso', 'page', 'domains');
      const { domain = '' } = body;
      return attempt(
        () => {
          const { id } = visit.organization;
          addDomain(env, id, { domain: domain.trim(), domain_type: 'ORGANIZATION_DOMAIN' }, 'DNS');
          return goOn(visit, '', { told: 'added' });
        },
        (refusal) => overview(visit, { section: 'domains', problem: problemOf(refusal, {}), filled: body }),
      );
    });
  },

  Portal_VerifyDomain({ path, cookies, body }, env) {
    return submitting(env, cookies, body, (visit) => {
      const told = lookUp(env, found(visit, path.domain_id)) ? 'verified' : 'unverified';
      return goOn(visit, '', { told });
    });
  },

  Portal_RemoveDomain({ path, cookies, body }, env) {
    return submitting(env, cookies, body, (visit) => {
      env.remove('domains', found(visit, path.domain_id).id);
      return goOn(visit, '', { told: 'removed' });
    });
  },
} satisfies Partial<Operations>;

function found(visit: Visit, id: string) {
  wantFeature(visit, 'sso', 'domain', id);
  return findOwnDomain(visit.env, visit.organization.id, id);
}
