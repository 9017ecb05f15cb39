import { invalidArgument } from '../../errors.ts';
import { addEndpoint, changeEndpoint, rotateSecret } from '../../webhooks/endpoints.ts';
import type { Operations } from '../handler.ts';
import { catchRefusal, problemOf } from '../hosted/portal.ts';
import { chosenTypes, LABELS, type EndpointForm } from './endpoint-fields.ts';
import { endpointPage, newEndpointPage } from './endpoint-page.ts';
import { redirectTo, withSubmittedForm, withVisit } from './visit.ts';

export const endpointPages = {
  WebhookPortal_ShowNewEndpoint({ cookies }, env) {
    return withVisit(env, cookies, (visit) => newEndpointPage(visit));
  },

  WebhookPortal_AddEndpoint({ cookies, body = {} }, env) {
    return withSubmittedForm(env, cookies, body, (visit) =>
      catchRefusal(
        () => {
          const { kind = 'http' } = body;
          const { id } = addEndpoint(env, { kind, ...withoutUndefined(chosenSettings(body, kind)) });
          return redirectTo(visit, `/endpoints/${id}`, { told: 'added' });
        },
        (refusal) => newEndpointPage(visit, { problem: problemOf(refusal, LABELS), filled: body }),
      ),
    );
  },

  WebhookPortal_ShowEndpoint({ path, cookies }, env) {
    return withVisit(env, cookies, (visit) =>
      endpointPage(visit, env.webhook_endpoints.get(path.endpoint_id)),
    );
  },

  WebhookPortal_UpdateEndpoint({ path, cookies, body = {} }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const endpoint = env.webhook_endpoints.get(path.endpoint_id);
      return catchRefusal(
        () => {
          changeEndpoint(env, endpoint, chosenSettings(body, endpoint.kind));
          return redirectTo(visit, `/endpoints/${endpoint.id}`, { told: 'saved' });
        },
        (refusal) => endpointPage(visit, endpoint, { problem: problemOf(refusal, LABELS), filled: body }),
      );
    });
  },

  WebhookPortal_SwitchEndpoint({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const enabled = body?.enabled === 'true';
      const { id } = changeEndpoint(env, env.webhook_endpoints.get(path.endpoint_id), { enabled });
      return redirectTo(visit, `/endpoints/${id}`, { told: enabled ? 'enabled' : 'disabled' });
    });
  },

  WebhookPortal_RotateSecret({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const { id } = rotateSecret(env, env.webhook_endpoints.get(path.endpoint_id));
      return redirectTo(visit, `/endpoints/${id}`, { told: 'rotated' });
    });
  },

  WebhookPortal_RemoveEndpoint({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      env.remove('webhook_endpoints', env.webhook_endpoints.get(path.endpoint_id).id);
      return redirectTo(visit, '', { told: 'removed' });
    });
  },
} satisfies Partial<Operations>;

/** The endpoint's settings from the form; empty fields become undefined. */
function chosenSettings(form: EndpointForm, kind: 'http' | 'inbox') {
  const url = form.url?.trim() || undefined;
  if (kind === 'inbox' && url !== undefined)
    throw invalidArgument('url: an inbox has no address; leave this empty, or choose the other kind');
  if (kind === 'http' && url === undefined)
    throw invalidArgument('url: enter the address to which events are sent');
  return {
    ...(kind === 'http' && { url }),
    description: form.description?.trim() || undefined,
    event_types: chosenTypes(form.event_types),
  };
}

/** Drops undefined fields. */
const withoutUndefined = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
