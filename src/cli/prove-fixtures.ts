import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contract } from '../contract/contract.ts';
import { readContract } from '../contract/documents.ts';
import { digestOf, FixtureFolders } from '../fixtures/fixture-files.ts';
import { loadFixture } from '../fixtures/fixtures.ts';
import { PACKAGE_ROOT } from '@understudy/text/files';

// Run by the build: validates the fixtures that we ship and records the digests of the valid ones.
const folder = join(PACKAGE_ROOT, 'fixtures');
const folders = new FixtureFolders([], folder);
const source = { folders, contract: new Contract(readContract('control')) };
const texts = new Map(
  folders.names().map((name) => [name, readFileSync(join(folder, `${name}.json`), 'utf8')]),
);
const proven = new Set<string>();
for (const name of texts.keys()) {
  const parts = partsOf(name);
  if (!parts.some(hasSettings)) continue; // A fixture without settings is a part, which is validated with the fixtures that include it.
  loadFixture(name, 0, source);
  for (const part of parts) proven.add(part);
}

const digests = Array.from(proven, (name) => digestOf(texts.get(name)!));
writeFileSync(new URL('fixtures.json', import.meta.url), JSON.stringify(digests));

interface FixtureContent {
  settings?: unknown;
  include?: string[];
}

function contentOf(name: string): FixtureContent {
  return JSON.parse(texts.get(name)!) as FixtureContent;
}

function hasSettings(name: string): boolean {
  return contentOf(name).settings !== undefined;
}

/** The fixture and everything that it includes. */
function partsOf(name: string): string[] {
  return [name, ...(contentOf(name).include ?? []).flatMap(partsOf)];
}
