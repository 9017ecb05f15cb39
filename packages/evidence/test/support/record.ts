import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Contract } from '../../../../src/contract/contract.ts';
import { readContract } from '../../../../src/contract/documents.ts';
import type { Exchange } from '../../src/recordings/exchange.ts';
import { readRecording } from '../../src/recordings/recording.ts';
import { readShape, type Shape } from '../../src/recordings/shape.ts';
import { Certificates } from '../../../../src/server/certificates/certificates.ts';
import { listen } from '../../../../src/server/port/listener.ts';
import { Recorder, type RecorderSettings } from '../../src/proxy/recorder.ts';

const contract = new Contract(() => readContract('openapi'));

export interface Recording {
  url: string;
  folder: string;
  /** What the recorder told its user. */
  told: string[];
  /** Ends the recording and reads it. */
  stop(): Promise<{ exchanges: Exchange[]; shape: Shape; text: string }>;
}

export const newFolder = () => join(mkdtempSync(join(tmpdir(), 'record-')), 'out');

/** Records a service. Every file of the folder is one text in the end. */
export async function recordFrom(
  target: string,
  { webhooksTo, ...wanted }: Partial<Omit<RecorderSettings, 'webhooksTo'>> & { webhooksTo?: string } = {},
): Promise<Recording> {
  const folder = wanted.folder ?? newFolder();
  const told: string[] = [];
  const recorder = new Recorder({
    target: new URL(target),
    webhooksTo: webhooksTo === undefined ? undefined : new URL(webhooksTo),
    began: '2026-03-01T09:00:00.000Z',
    version: '0.0.0',
    allowed: [],
    contract,
    tell: (line) => told.push(line),
    ...wanted,
    folder,
  });
  const certificates = new Certificates({ folder: undefined, hosts: [] }, () => {});
  const { app, rpc } = recorder;
  const listener = await listen({ app, rpc, certificates }, { host: '127.0.0.1', port: 0 });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= listener.stop(200).then(() => recorder.close()));
  onTestFinished(stop);
  return {
    url: listener.url,
    folder,
    told,
    async stop() {
      await stop();
      const { exchanges } = readRecording(folder);
      return { exchanges, shape: readShape(join(folder, 'shape.yaml')), text: textOf(folder) };
    },
  };
}

export const textOf = (folder: string): string =>
  existsSync(folder)
    ? readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), 'utf8'))
        .join('\n')
    : '';
