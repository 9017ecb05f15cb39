import express, { type ErrorRequestHandler, type Express } from 'express';
import type { RequestListener } from 'node:http';
import { shownPath } from '../call-log.ts';
import { serveControl, type Controls } from '../control/serve.ts';
import { written, type Call, type WrittenReply } from '../pipeline/call.ts';
import { answered, type Answer, type Answering } from './answered.ts';
import { callOf } from './bridge.ts';
import type { BrowserGuard } from './browser-guard.ts';
import { controlDoor } from './control-door.ts';
import { dashboard } from './dashboard.ts';
import { send } from './sending.ts';

/** A whole fixture may be put through the control API. */
const FIXTURE_LIMIT = 100_000_000;
const OWN_PATH = /^\/_control(?:\/|$)/i;
const CONTROL_PATH = /^\/_control\/v1(?:\/|$)/i;
const STATE_PATH = /^\/_control\/v1\/(?:environments\/[^/]+\/)?state\/?$/;

interface Around {
  /** Takes what is none of ours. */
  service: RequestListener;
  guard: BrowserGuard;
}

/** What is ours: the control API and the document. All else is the service's. */
export function createOwnApp(controls: Controls, answering: Answering, { service, guard }: Around): Express {
  const app = express();
  app.disable('x-powered-by');
  const control: Answer = async (call) => {
    const reply = await serveControl(call, controls);
    controls.log.debug(`${call.method} ${shownPath(call.path)} ${reply.status} (control API)`);
    return reply;
  };
  app.all(OWN_PATH, controlDoor(guard));
  app.use(dashboard());
  app.all(STATE_PATH, answered(control, { ...answering, limit: FIXTURE_LIMIT }));
  app.all(CONTROL_PATH, answered(control, answering));
  app.get('/openapi.json', (request, response) =>
    send(response, document(callOf({ request, response }, answering))),
  );
  app.use(service);
  app.use(((thrown, request, response, _next) =>
    answering.crashed(thrown, request, response)) satisfies ErrorRequestHandler);
  return app;

  function document({ baseUrl }: Call): WrittenReply {
    const body = { ...controls.documents.service(), servers: [{ url: baseUrl }] };
    return written({ status: 200, headers: {}, body });
  }
}
