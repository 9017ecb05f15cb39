import type { Part } from '@understudy/core/parts';
import { dashboard } from './server/dashboard.ts';

export const part: Part = { pages: ({ documents }) => dashboard(documents) };
