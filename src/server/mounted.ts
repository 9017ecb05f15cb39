import type { WrittenReply } from '../pipeline/call.ts';
import type { AnswerHeaders } from '../text/json.ts';

/** Matches only attributes of our own markup, because quotes in shown texts are escaped. */
const ROOT = /(?<=\s(?:href|action|src)=")\/(?!\/)/g;

/** Escapes quotes, which a request path may contain. */
const pathOf = (mount: string) => mount.replace(/["'<>]/g, encodeURIComponent);

/** Puts the path of a mounted app before each address of a reply that begins with a slash. */
export function atMount(reply: WrittenReply, mount: string): WrittenReply {
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
