import express, { type Express, type Handler } from 'express';
import { checkTarget, type Addressing } from './address.ts';

/** The path of `--base-url`, which a proxy may strip from each request; empty for an address without a path. */
export const basePathOf = ({ baseUrl }: Pick<Addressing, 'baseUrl'>): string =>
  baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');

/** The app as if another app had mounted it at the path, whether a request still has the path or a proxy has stripped it. */
export function atBasePath(app: Express, basePath: string): Express {
  const outer = express();
  outer.disable('x-powered-by').enable('case sensitive routing');
  const enter: Handler = (request, response, next) => {
    request.url = withoutBasePath(request.url, basePath);
    request.baseUrl = basePath;
    app(request, response, next);
  };
  outer.use(checkTarget, enter);
  return outer;
}

/** Metadata of an issuer with a path lies below the root of its host, and the path follows (RFC 8414 3, RFC 9728 3). */
const WELL_KNOWN = /^(\/\.well-known\/[\w-]+)(\/.*)$/;

/** The target of a request as the app knows it. */
export function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '') return url;
  const [, document, rest] = WELL_KNOWN.exec(url) ?? [];
  if (document !== undefined && rest !== undefined && isBelow(rest, basePath))
    return document + rest.slice(basePath.length);
  if (!isBelow(url, basePath)) return url;
  const stripped = url.slice(basePath.length);
  return stripped.startsWith('/') ? stripped : `/${stripped}`;
}

const isBelow = (url: string, path: string): boolean =>
  url.startsWith(path) && /^(?:[/?]|$)/.test(url.slice(path.length));
