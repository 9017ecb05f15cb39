import express, { type ErrorRequestHandler, type Express } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { shownPath } from '../service-log.ts';
import type { AgentCalls } from '../control/agents.ts';
import type { Apis } from '../control/serve.ts';
import type { Controls } from '../control/handler.ts';
import { ApiError } from '../errors.ts';
import { written, type Call, type WrittenReply } from '../pipeline/call.ts';
import { serve } from '../pipeline/serve.ts';
import { checkTarget, type Addressing } from './address.ts';
import { crossOrigin, FOR_AGENTS, guardControl, refusePages, type BrowserGuard } from './browser-guard.ts';
import { dashboard, sendIcon } from './dashboard.ts';
import type { Forwarding } from './forwarding/forwarding.ts';
import { FORWARDED_PATH } from './forwarding/frame.ts';
import type { RpcServer } from './grpc/wire.ts';
import { answering, handToRpc, readBody } from './request.ts';
import { refuse } from './sending.ts';

const CONTROL = /^\/_control(?:\/|$)/;
const CONTROL_API = /^\/_control\/(?:[vV]1(?:\/|$)|metrics$)/;

interface Parts {
  controls: Controls;
  guard: BrowserGuard;
  /** Answers gRPC, gRPC-Web and Connect. */
  rpc: RpcServer;
  /** Present if stored environments may rest or belong to other processes. */
  forwarding?: Forwarding | undefined;
}

interface ControlParts {
  apis: Apis;
  log: Controls['log'];
}

/** Serves everything over HTTP/1.1. A request passes the lines in this order. */
export function createApp(parts: Parts, addressing: Addressing): Express {
  const { controls, guard, rpc, forwarding } = parts;
  const apis: Apis = forwarding ?? ownApis(controls);
  const app = express();
  app.disable('x-powered-by').enable('case sensitive routing');

  app.use(checkTarget);
  if (forwarding?.endpoint) app.route(FORWARDED_PATH).head(forwarding.endpoint).post(forwarding.endpoint);
  app.use(crossOrigin);
  app.get('/favicon.ico', sendIcon);
  app.use(refusePages(guard));
  app.use(handToRpc(rpc));
  app.all(CONTROL, guardControl(guard));
  app.all(CONTROL, dashboard());
  app.use(readBody);
  app.all(CONTROL_API, answering(controlApi, { apis, log: controls.log }, addressing));
  app.all(FOR_AGENTS, answering(agentApi, agentsOf(controls, apis), addressing));
  app.get('/openapi.json', answering(contractDocument, controls, addressing));
  app.use(
    forwarding
      ? answering(serveOrForward, forwarding, addressing)
      : answering(serve, controls.simulator, addressing),
  );
  app.use(failed(controls));
  return app;
}

/** Both APIs, answered by this process alone. The control API is loaded at its first call. */
const ownApis = (controls: Controls): Apis => ({
  serve: (call) => serve(call, controls.simulator),
  serveControl: async (call) => (await import('../control/serve.ts')).serveControl(call, controls),
});

const serveOrForward = (call: Call, forwarding: Forwarding): Promise<WrittenReply> => forwarding.serve(call);

async function controlApi(call: Call, { apis, log }: ControlParts): Promise<WrittenReply> {
  const reply = await apis.serveControl(call);
  log.debug(`${call.method} ${shownPath(call.path)} ${reply.status} (control API)`);
  return reply;
}

/** Loaded at the first message of an agent. */
function agentsOf(controls: Controls, apis: Apis): () => Promise<AgentCalls> {
  let loading: Promise<AgentCalls> | undefined;
  const load = async () => {
    const { AgentCalls } = await import('../control/agents.ts');
    return new AgentCalls(controls, apis);
  };
  return () => (loading ??= load());
}

async function agentApi(call: Call, agents: () => Promise<AgentCalls>): Promise<WrittenReply> {
  return (await agents()).answer(call);
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
