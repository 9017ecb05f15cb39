import { StreamReply, type ControlContext, type ControlOperations } from '@understudy/core/control/handler';
import { bundleText } from './contents.ts';
import { compressed } from './file.ts';
import type { BundledTest } from './format.ts';

export const operations = {
  Control_GetBundle: (_, context) => reply(context),
  Control_MakeBundle: ({ body }, context) => reply(context, body),
} satisfies Partial<ControlOperations>;

async function reply(context: ControlContext, test?: BundledTest): Promise<StreamReply> {
  const bytes = await compressed(await bundleText(context, test));
  return new StreamReply('application/octet-stream', piecesOf(bytes));
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
