import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { CONTROL_PATH, serveControl, type Controls } from '../control/serve.ts';
import { ApiError } from '../errors.ts';
import { written, type Call, type WrittenReply } from '../pipeline/call.ts';
import { serve } from '../pipeline/serve.ts';
import { bodyErrorOf, callOf, type Addressing } from './bridge.ts';
import { crossOrigin } from './cross-origin.ts';
import { send } from './sending.ts';

const BODY_LIMIT = 1_000_000;
/** A whole fixture may be put through the control API. */
const FIXTURE_LIMIT = 100_000_000;
const OWN_PATHS = /^\/(_control|openapi)/;
const STATE_PATH = /^\/_control\/v1\/(?:environments\/[^/]+\/)?state\/?$/;

type Answer = (call: Call) => Promise<WrittenReply>;

export function createApp(controls: Controls, addressing: Addressing): Express {
  const app = express();
  app.disable('x-powered-by');
  const service = answered((call) => serve(call, controls.simulator), addressing, BODY_LIMIT);
  const control: Answer = (call) => serveControl(call, controls);
  app.use(crossOrigin);
  // Most calls by far: they need not be held against every route.
  app.use((request, response, next) =>
    OWN_PATHS.test(request.url) ? next() : service(request, response, next),
  );
  app.all(STATE_PATH, answered(control, addressing, FIXTURE_LIMIT));
  app.use(CONTROL_PATH, answered(control, addressing, BODY_LIMIT));
  app.get('/openapi.json', (request, response) =>
    send(response, document(callOf({ request, response }, addressing))),
  );
  app.use(service);
  app.use(crashed(controls));
  return app;

  function document({ baseUrl }: Call): WrittenReply {
    const body = { ...controls.documents.service(), servers: [{ url: baseUrl }] };
    return written({ status: 200, headers: {}, body });
  }
}

/** A body that can't be taken in is the pipeline's business, not Express's: the refused call is journaled too. */
function answered(answer: Answer, addressing: Addressing, limit: number): RequestHandler {
  const takeIn = express.raw({ type: () => true, limit });
  return (request, response, next) => {
    request.url = request.originalUrl;
    takeIn(request, response, (thrown?: unknown) => {
      const bodyError = thrown === undefined ? undefined : bodyErrorOf(thrown);
      if (bodyError) request.resume();
      answer(callOf({ request, response, bodyError }, addressing))
        .then((reply) => send(response, reply))
        .catch(next);
    });
  };
}

/** What the pipeline has answered and no client can be sent: a bug of ours, but never a stack trace. */
function crashed({ simulator }: Controls): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    simulator.report(`${request.method} ${request.originalUrl}`, thrown);
    const error = ApiError.from(thrown);
    if (response.headersSent) response.destroy();
    else send(response, written({ status: error.status, headers: {}, body: error.body('envelope') }));
  };
}
