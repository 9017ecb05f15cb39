import { pageFiles, readPage } from '../../scripts/markdown.mjs';

export interface Block {
  page: string;
  language: string;
  text: string;
  /** The line of the page where the block begins. */
  line: number;
  /** The reason why the block is not run. */
  reason?: string;
  /** The file that the block quotes. */
  source?: string;
}

const all: Block[] = pageFiles()
  .map(readPage)
  .flatMap(({ file, blocks }) => blocks.map((block) => ({ ...block, page: file })));

/** The blocks that quote a file. */
export const quotes = (): (Block & { source: string })[] =>
  all.filter((block): block is Block & { source: string } => block.source !== undefined);

/** All fenced blocks of a language in README.md and docs/. */
export const blocksOf = (language: string): Block[] => all.filter((block) => block.language === language);

/** The `sh` blocks that `npm run test:docs` runs. */
export const runBlocks = (): Block[] => blocksOf('sh').filter(({ reason }) => reason === undefined);

export const placeOf = ({ page, line }: Block): string => `${page}:${line}`;
