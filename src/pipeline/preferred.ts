/** Of JSON and HTML, what the caller names first; browsers name HTML. */
export function preferred(accept: string): 'json' | 'html' {
  const html = accept.search(/text\/html/);
  const json = accept.search(/application\/json|\*\/\*/);
  return html >= 0 && (json < 0 || html < json) ? 'html' : 'json';
}
