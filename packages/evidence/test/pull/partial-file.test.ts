import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileError } from '@understudy/text/files';
import { PartialFile } from '../../src/pull/partial-file.ts';
import { makeFolder } from '../../../../test/support/process.ts';

it.each([
  ['{"call":"/roles","items":[]', /line 3: .*; remove the file$/],
  ['{"call":"/roles"}', /line 3 is not a list that was read; remove the file$/],
  [
    `{"call":"/roles","items":${'['.repeat(300)}`,
    /line 3: it is nested deeper than 200 levels; remove the file$/,
  ],
])('a file of an earlier pull with the line %s is refused', (line, message) => {
  const path = join(makeFolder(), 'acme.json.partial');
  writeFileSync(path, `{"origin":"o"}\n{"call":"/users","items":[]}\n${line}\n`);

  const opening = () => new PartialFile(path, 'o');

  expect(opening).toThrow(FileError);
  expect(opening).toThrow(message);
});
