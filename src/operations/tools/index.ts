import { toolLists } from './tool-lists.ts';
import { tools } from './tools.ts';

export const toolService = { ...tools, ...toolLists };
