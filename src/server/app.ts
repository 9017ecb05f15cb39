import type { RequestListener } from 'node:http';
import type { Controls } from '../control/serve.ts';
import { ApiError } from '../errors.ts';
import { written } from '../pipeline/call.ts';
import { serve } from '../pipeline/serve.ts';
import { answered, type OnCrash } from './answered.ts';
import type { Addressing } from './address.ts';
import type { BrowserGuard } from './browser-guard.ts';
import { refuse } from './control-door.ts';
import { crossOrigin } from './cross-origin.ts';
import { sendIcon } from './icon.ts';
import { send } from './sending.ts';

const OWN_PATHS = /^\/(_control|openapi)/;
/** Called with credentials by programs; what browsers are meant to see is elsewhere. */
const API_PATHS = /^\/(api|proxy)\//i;

/** The service's paths need no router of ours: Express is loaded for the first call that has one. */
export function createApp(controls: Controls, addressing: Addressing, guard: BrowserGuard): RequestListener {
  const crashed = crash(controls);
  const service = answered((call) => serve(call, controls.simulator), { ...addressing, crashed });
  let loading: Promise<RequestListener> | undefined;
  const load = async () => {
    const { createOwnApp } = await import('./own-app.ts');
    return createOwnApp(controls, { ...addressing, crashed }, { service, guard });
  };
  return (request, response) => {
    if (crossOrigin(request, response) || sendIcon(request, response)) return;
    const path = request.url ?? '/';
    const refusal = API_PATHS.test(path) ? guard.serviceRefusal(request) : undefined;
    if (refusal) return refuse(request, response, refusal);
    if (!OWN_PATHS.test(path)) return service(request, response);
    void (loading ??= load()).then((app) => app(request, response));
  };
}

/** What the pipeline has answered and no client can be sent: a bug of ours, but never a stack trace. */
function crash({ simulator }: Controls): OnCrash {
  return (thrown, request, response) => {
    simulator.report(`${request.method} ${request.url}`, thrown);
    const error = ApiError.from(thrown);
    if (response.headersSent) response.destroy();
    else send(response, written({ status: error.status, headers: {}, body: error.body('envelope') }));
  };
}
