import type { WrittenReply } from '../pipeline/call.ts';
import type { AnswerHeaders } from '../text/json.ts';

/** In our own markup alone: the quotes of what a page shows are escaped. */
const ROOT = /(?<=\s(?:href|action|src)=")\/(?!\/)/g;

/** A path of a request may hold a quote; markup must not. */
const pathOf = (mount: string) => mount.replace(/["'<>]/g, encodeURIComponent);

/** A reply of an app that is mounted at a path: the path goes before each address that begins with a slash. */
export function atMount(reply: WrittenReply, mount = ''): WrittenReply {
  if (mount === '') return reply;
  const headers = headersAt(reply.headers, mount);
  const { text } = reply;
  if (text === undefined || !String(headers['content-type']).startsWith('text/html'))
    return { ...reply, headers };
  return { ...reply, headers, text: text.replace(ROOT, () => `${pathOf(mount)}/`) };
}

function headersAt(headers: AnswerHeaders, mount: string): AnswerHeaders {
  const { location, 'set-cookie': cookies, ...others } = headers;
  const atPath = (cookie: string) => cookie.replace(/(?<=; *Path=)\//i, `${mount}/`);
  return {
    ...others,
    ...(location !== undefined && { location: String(location).replace(/^\/(?!\/)/, `${mount}/`) }),
    ...(cookies !== undefined && { 'set-cookie': [cookies].flat().map(atPath) }),
  };
}
