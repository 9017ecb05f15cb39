import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openStage } from '../../src/commands/stage.ts';
import type { Config } from '../../../../src/start/config.ts';
import { createDocuments } from '../../../../src/contract/documents.ts';
import { Ledger } from '../../src/drift/ledger.ts';
import { recordingDrift } from '../../src/drift/recording-drift.ts';
import { readRecording, type Recording } from '../../src/recordings/recording.ts';
import { INBOX, Recorder } from '../../src/proxy/recorder.ts';
import { boot, packageFiles, type Booted } from '../../../../test/support/boot.ts';
import { addressOf } from '../../../../test/support/listening.ts';
import { makeFolder } from '../../../../test/support/process.ts';
import { ServiceClient } from './client.ts';
import { secondService, type Body, type Distortion } from './second-service.ts';
import { play } from './story.ts';

const { contract } = packageFiles;

interface ServiceOptions {
  seed: number;
  fixture?: string;
  /** How far its clock is from that of the recorder, such as `-14d`. */
  offset?: string;
}

/** A second service with the distortions. Its events wait until they are sent. */
export async function openService(
  distortions: readonly Distortion[],
  { seed, fixture = 'empty', offset }: ServiceOptions,
) {
  const booted = await boot({ fixture, seed, trustProxy: true });
  if (offset !== undefined) await booted.control.put('/clock').send({ mode: 'offset', offset }).expect(200);
  await booted.control.post('/webhooks/endpoints').send({ kind: 'inbox' }).expect(201);
  return { booted, url: await secondService(addressOf(booted.understudy.app), distortions) };
}

/** Records the story at a second service, as `understudy record` does, into a folder. */
export async function recordInto(
  folder: string,
  distortions: readonly Distortion[],
  options: ServiceOptions,
) {
  const { booted, url } = await openService(distortions, options);
  const application = await served((request, response) => {
    request.resume();
    response.end();
  });
  const recorder = new Recorder({
    target: new URL(url),
    webhooksTo: new URL(application),
    folder,
    began: new Date().toISOString(),
    version: '0',
    allowed: [],
    contract,
    tell: (line) => {
      throw new Error(line);
    },
  });
  const address = await served(recorder.app);
  await play(new ServiceClient(address));
  await sendEvents(booted, `${address}${INBOX}`, distortions);
  await recorder.close();
}

export async function record(
  distortions: readonly Distortion[],
  options: ServiceOptions,
): Promise<Recording> {
  const folder = join(makeFolder(), 'recording');
  await recordInto(folder, distortions, options);
  return readRecording(folder);
}

async function served(app: RequestListener): Promise<string> {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function sendEvents(
  { control }: Booted,
  to: string,
  distortions: readonly Distortion[],
): Promise<void> {
  const { body } = await control.get('/webhooks/deliveries?limit=1000').expect(200);
  for (const { id, payload } of body.deliveries as { id: string; payload: object }[]) {
    const sent = distortions.reduce(
      (events: Body[], { event }) => (event ? events.flatMap((each) => event(each) ?? []) : events),
      [payload],
    );
    for (const [i, each] of sent.entries())
      await fetch(to, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'webhook-id': `${id}${i}` },
        body: JSON.stringify(each),
      });
  }
}

/** What `understudy drift` says about a recording. */
export async function driftOf(recording: Recording, wanted: Partial<Config> = {}, hasRows = false) {
  const config = { fixture: 'empty', ...wanted };
  const stages = await Promise.all([1, 2].map((seed) => openStage({ ...config, seed }, contract)));
  const [stage, variant] = stages.map((each) => each.stage);
  const ledger = new Ledger(createDocuments().service());
  const result = await recordingDrift({
    recording,
    contract,
    ledger,
    stage: stage!,
    variant: variant!,
    hasRows,
  });
  await Promise.all(stages.map(({ close }) => close()));
  return result;
}
