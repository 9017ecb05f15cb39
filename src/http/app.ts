import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import { CONTROL_PATH, serveControl, type Controls } from '../control/serve.ts';
import { ApiError } from '../errors.ts';
import type { Call, Reply } from '../pipeline/call.ts';
import { serve } from '../pipeline/serve.ts';
import { bodyErrorOf, callOf, send, type Addressing } from './bridge.ts';

const BODY_LIMIT = 1_000_000;
/** A whole fixture may be put through the control API. */
const CONTROL_BODY_LIMIT = 100_000_000;

type Answer = (call: Call) => Promise<Reply> | Reply;

export function createApp(controls: Controls, addressing: Addressing): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(CONTROL_PATH, ...answered((call) => serveControl(call, controls), CONTROL_BODY_LIMIT));
  app.get('/openapi.json', (request, response) => send(response, document(callOf(request, addressing))));
  app.use(...answered((call) => serve(call, controls.simulator), BODY_LIMIT));
  return app;

  function document({ baseUrl }: Call): Reply {
    return {
      status: 200,
      headers: {},
      body: { ...controls.documents.service(), servers: [{ url: baseUrl }] },
    };
  }

  /** A body that can't be taken in is the pipeline's business, not Express's: the refused call is journaled too. */
  function answered(answer: Answer, limit: number) {
    const take = async (request: Request, response: Response, bodyError?: ApiError) => {
      request.url = request.originalUrl;
      const reply = await answer(callOf(request, addressing, bodyError));
      if (bodyError) request.resume();
      send(response, reply);
    };
    const refused: ErrorRequestHandler = (thrown, request, response, _next) =>
      take(request, response, bodyErrorOf(thrown));
    return [
      express.raw({ type: () => true, limit }),
      (request: Request, response: Response) => take(request, response),
      refused,
    ] as const;
  }
}
