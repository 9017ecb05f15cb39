import { openStage } from '../../src/cli/drift/stage.ts';
import type { Config } from '../../src/config.ts';
import { createDocuments } from '../../src/documents.ts';
import { Ledger } from '../../src/drift/ledger.ts';
import { recordingDrift } from '../../src/drift/recording-drift.ts';
import type { Recording } from '../../src/recordings/recording.ts';
import { boot, packageFiles, type Booted } from '../support/boot.ts';
import { addressOf } from '../support/listening.ts';
import { RecordingClient } from './recorder.ts';
import { type Body, secondService, type Distortion } from './second-service.ts';
import { play } from './story.ts';

interface ServiceOptions {
  seed: number;
  fixture?: string;
  /** How far its clock is from that of the recorder, such as `-14d`. */
  offset?: string;
}

/** A second service with the distortions, and a receiver of its webhooks. */
export async function openService(
  distortions: readonly Distortion[],
  { seed, fixture = 'empty', offset }: ServiceOptions,
) {
  const booted = await boot({ fixture, seed, trustProxy: true });
  if (offset !== undefined) await booted.control.put('/clock').send({ mode: 'offset', offset }).expect(200);
  await booted.control.post('/webhooks/endpoints').send({ kind: 'inbox' }).expect(201);
  return { booted, url: await secondService(addressOf(booted.understudy.app), distortions) };
}

/** Records the story at a second service. */
export async function record(
  distortions: readonly Distortion[],
  options: ServiceOptions,
): Promise<Recording> {
  const { booted, url } = await openService(distortions, options);
  const client = new RecordingClient(url);
  await play(client);
  await receive(booted, client, distortions);
  return client.recording;
}

async function receive(
  { control }: Booted,
  client: RecordingClient,
  distortions: readonly Distortion[],
): Promise<void> {
  const { body } = await control.get('/webhooks/deliveries?limit=1000').expect(200);
  for (const [index, { id, payload }] of (body.deliveries as { id: string; payload: object }[]).entries()) {
    const sent = distortions.reduce(
      (events: Body[], { event }) => (event ? events.flatMap((each) => event(each, index) ?? []) : events),
      [payload],
    );
    for (const [i, each] of sent.entries()) client.event(each, { 'webhook-id': `${id}${i}` });
  }
}

/** What `understudy drift` says about a recording. */
export async function driftOf(
  recording: Recording,
  wanted: Partial<Config> = { fixture: 'empty' },
  hasRows = false,
) {
  const stages = await Promise.all([1, 2].map((seed) => openStage({ ...wanted, seed })));
  const [ours, variant] = stages.map(({ stage }) => stage);
  const result = await recordingDrift({
    recording,
    contract: packageFiles.contract,
    ledger: new Ledger(createDocuments().service()),
    stage: ours!,
    variant: variant!,
    hasRows,
  });
  await Promise.all(stages.map(({ close }) => close()));
  return result;
}
