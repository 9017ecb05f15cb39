import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { shownPath } from '../call-log.ts';
import { serveControl } from '../control/serve.ts';
import type { Controls } from '../control/handler.ts';
import { ApiError } from '../errors.ts';
import { written, type Call, type WrittenReply } from '../pipeline/call.ts';
import { serve } from '../pipeline/serve.ts';
import type { Addressing } from './address.ts';
import { readBody, type WithBody } from './body.ts';
import { callOf } from './bridge.ts';
import type { BrowserGuard } from './browser-guard.ts';
import { controlDoor } from './control-door.ts';
import { crossOrigin } from './cross-origin.ts';
import { dashboard } from './dashboard.ts';
import type { RpcServer } from './grpc/details.ts';
import { sendIcon } from './icon.ts';
import { checkTarget } from './port/request-address.ts';
import { atMount } from './mounted.ts';
import { isRpc } from './rpc.ts';
import { refuse, send } from './sending.ts';

const CONTROL = /^\/_control(?:\/|$)/;
const CONTROL_API = /^\/_control\/[vV]1(?:\/|$)/;
/** Programs call these paths with credentials; web pages do not. */
const SERVICE_API = /^\/(api|proxy|mcp)\//i;

interface Parts {
  controls: Controls;
  guard: BrowserGuard;
  /** Answers gRPC, gRPC-Web and Connect. */
  rpc: RpcServer;
}

/** Serves everything over HTTP/1.1. A request passes the lines in this order. */
export function createApp({ controls, guard, rpc }: Parts, addressing: Addressing): Express {
  const app = express();
  app.disable('x-powered-by').enable('case sensitive routing');
  const answering = (answer: Answer) => answerWith(answer, addressing);

  app.use(checkTarget);
  app.use(crossOrigin);
  app.get('/favicon.ico', sendIcon);
  app.use(refusePages(guard));
  app.use(handToRpc(rpc));
  app.all(CONTROL, controlDoor(guard));
  app.all(CONTROL, dashboard());
  app.use(readBody);
  app.all(CONTROL_API, answering(controlApi(controls)));
  app.get('/openapi.json', answering(contractDocument(controls)));
  app.use(answering((call) => serve(call, controls.simulator)));
  app.use(failed(controls));
  return app;
}

type Answer = (call: Call) => WrittenReply | Promise<WrittenReply>;

const answerWith =
  (answer: Answer, addressing: Addressing) =>
  async (request: WithBody, response: ServerResponse): Promise<void> => {
    const { baseUrl: mount } = request;
    const reply = await answer(callOf(request, response, addressing));
    send(response, mount ? atMount(reply, mount) : reply);
  };

/** Refuses API calls and RPCs that a web page sends to a host name which is not one of the server's own. */
const refusePages =
  (guard: BrowserGuard): RequestHandler =>
  (request, response, next) => {
    const isApi = SERVICE_API.test(request.url) || isRpc(request);
    const refusal = isApi ? guard.serviceRefusal(request) : undefined;
    if (refusal) refuse(request, response, refusal);
    else next();
  };

const handToRpc =
  (rpc: RpcServer): RequestHandler =>
  (request, response, next) =>
    isRpc(request) ? rpc.listener(request, response) : next();

const controlApi =
  (controls: Controls): Answer =>
  async (call) => {
    const reply = await serveControl(call, controls);
    controls.log.debug(`${call.method} ${shownPath(call.path)} ${reply.status} (control API)`);
    return reply;
  };

const contractDocument =
  ({ documents }: Controls): Answer =>
  ({ baseUrl }) =>
    written({ status: 200, headers: {}, body: { ...documents.service(), servers: [{ url: baseUrl }] } });

/** A reply that could not be sent is a bug of ours, and the client gets no stack trace. */
const failed =
  ({ simulator }: Controls): ErrorRequestHandler =>
  (thrown, request: IncomingMessage, response: ServerResponse, _next) => {
    simulator.report(`${request.method} ${request.url}`, thrown);
    if (response.headersSent) response.destroy();
    else refuse(request, response, ApiError.from(thrown));
  };
