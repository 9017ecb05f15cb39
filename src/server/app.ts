import express, { type ErrorRequestHandler, type Express } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { shownPath } from '../journal/service-log.ts';
import type { SharedApis } from '../control/shared-apis.ts';
import type { Apis } from '../control/serve.ts';
import type { Controls } from '../control/handler.ts';
import { ApiError } from '../contract/errors.ts';
import type { AnswerAgent, Part } from '../parts.ts';
import { written, type Call, type WrittenReply } from '../pipeline/call.ts';
import { serve } from '../pipeline/serve.ts';
import { checkTarget, type Addressing } from './address.ts';
import { atBasePath, basePathOf } from './base-path.ts';
import { crossOrigin, FOR_AGENTS, guardControl, refusePages, type BrowserGuard } from './browser-guard.ts';
import type { RpcServer } from './grpc/wire.ts';
import { sendIcon } from './icon.ts';
import { answering, handToRpc, readBody } from './request.ts';
import { refuse } from './sending.ts';

const CONTROL = /^\/_control(?:\/|$)/;
const CONTROL_API = /^\/_control\/(?:[vV]1(?:\/|$)|metrics$)/;

export interface AppParts {
  controls: Controls;
  /** What packages add. */
  packages: readonly Part[];
  guard: BrowserGuard;
  /** Answers gRPC, gRPC-Web and Connect. */
  rpc: RpcServer;
  /** Present if other processes use the same store. */
  shared?: SharedApis | undefined;
}

interface ControlParts {
  apis: Apis;
  log: Controls['log'];
}

/** Serves everything over HTTP/1.1, below the path of `--base-url` if it has one. */
export function createApp(parts: AppParts, addressing: Addressing): Express {
  const app = createRoutes(parts, addressing);
  const basePath = basePathOf(addressing);
  return basePath === '' ? app : atBasePath(app, basePath);
}

/** A request passes the lines in this order. */
function createRoutes(parts: AppParts, addressing: Addressing): Express {
  const { controls, packages, guard, rpc, shared } = parts;
  const apis: Apis = shared ?? ownApis(controls);
  const app = express();
  app.disable('x-powered-by').enable('case sensitive routing');

  app.use(checkTarget);
  app.use(crossOrigin);
  app.get('/favicon.ico', sendIcon);
  app.use(refusePages(guard));
  app.use(handToRpc(rpc));
  app.all(CONTROL, guardControl(guard));
  for (const { pages } of packages) if (pages) app.all(CONTROL, pages(controls));
  app.use(readBody);
  app.all(CONTROL_API, answering(controlApi, { apis, log: controls.log }, addressing));
  for (const answer of agentApis(controls, apis, packages))
    app.all(FOR_AGENTS, answering(answer, undefined, addressing));
  app.get('/openapi.json', answering(contractDocument, controls, addressing));
  app.use(
    shared ? answering(serveShared, shared, addressing) : answering(serve, controls.simulator, addressing),
  );
  app.use(failed(controls));
  return app;
}

/** Both APIs, answered by this process alone. The control API is loaded at its first call. */
const ownApis = (controls: Controls): Apis => ({
  serve: (call) => serve(call, controls.simulator),
  serveControl: async (call) => (await import('../control/serve.ts')).serveControl(call, controls),
});

const serveShared = (call: Call, shared: SharedApis): Promise<WrittenReply> => shared.serve(call);

async function controlApi(call: Call, { apis, log }: ControlParts): Promise<WrittenReply> {
  const reply = await apis.serveControl(call);
  log.debug(`${call.method} ${shownPath(call.path)} ${reply.status} (control API)`);
  return reply;
}

/** Each package gets the calls that agents make. What answers them is loaded at the first message. */
function agentApis(controls: Controls, apis: Apis, packages: readonly Part[]): AnswerAgent[] {
  return packages.flatMap(({ agents }) => {
    let loading: Promise<AnswerAgent> | undefined;
    return agents ? [async (call) => (await (loading ??= agents(controls, apis)))(call)] : [];
  });
}

const contractDocument = ({ baseUrl }: Call, { documents }: Controls): WrittenReply =>
  written({ status: 200, headers: {}, body: { ...documents.service(), servers: [{ url: baseUrl }] } });

/** A reply that could not be sent is a bug of ours, and the client gets no stack trace. */
const failed =
  ({ simulator }: Controls): ErrorRequestHandler =>
  (thrown, request: IncomingMessage, response: ServerResponse, _next) => {
    simulator.report(`${request.method} ${request.url}`, thrown);
    if (response.headersSent) response.destroy();
    else refuse(request, response, ApiError.from(thrown));
  };
