export interface Page {
  file: string;
  blocks: { language: string; text: string; line: number; reason?: string; source?: string }[];
  anchors: Set<string>;
  links: { line: number; target: string }[];
}
export function pageFiles(): string[];
export function readPage(file: string): Page;
