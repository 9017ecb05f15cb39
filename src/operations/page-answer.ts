import { render, type Sheet } from '../pages/page.ts';
import { Answer } from './answer.ts';

interface PageOptions {
  status?: number;
  /** Whole `Set-Cookie` values. */
  cookies?: string[];
}

/** A hosted page as the answer of an operation. */
export function showPage(sheet: Sheet, { status = 200, cookies = [] }: PageOptions = {}): Answer {
  const { headers, markup } = render(sheet);
  return new Answer(status, { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) }, markup);
}
