import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from './route.ts';

/** The security policy of the pages: they may load their own files, call their own server, and not be framed. */
const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
});

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

const DOCS_FILES = [
  { path: '/docs', file: 'index.html', mediaType: 'text/html; charset=utf-8' },
  { path: '/docs/docs.css', file: 'docs.css', mediaType: 'text/css; charset=utf-8' },
  { path: '/docs/curl.js', file: 'curl.js', mediaType: SCRIPT_TYPE },
  { path: '/docs/docs.js', file: 'docs.js', mediaType: SCRIPT_TYPE },
  { path: '/docs/dom.js', file: 'dom.js', mediaType: SCRIPT_TYPE },
  { path: '/docs/schema.js', file: 'schema.js', mediaType: SCRIPT_TYPE },
  { path: '/docs/search.js', file: 'search.js', mediaType: SCRIPT_TYPE },
  { path: '/docs/try.js', file: 'try.js', mediaType: SCRIPT_TYPE },
] as const;

const publicRoute = (path: string, summary: string, status: number, handle: Route['handle']): Route => ({
  method: 'GET',
  path,
  summary,
  tag: 'Documentation',
  access: 'public',
  responses: { [status]: undefined },
  handle,
});

/**
 * Declares the page that shows the OpenAPI document. The files are read once from the package's folder, where source and
 * compiled code both find them. Throws when one is missing.
 */
export const docsRoutes = (packageRoot: string): readonly Route[] =>
  DOCS_FILES.map(({ path, file, mediaType }) => {
    const content = readFileSync(join(packageRoot, 'src/http/docs', file), 'utf8');
    const answer = { status: 200, headers: PAGE_HEADERS, text: { mediaType, content } };
    return publicRoute(path, `Get ${file} of the API documentation`, 200, () => Promise.resolve(answer));
  });

/** Declares `/` where there is no explorer. */
export const docsEntrance = (): Route => {
  const entrance = { status: 302, headers: { ...PAGE_HEADERS, location: '/docs' } };
  return publicRoute('/', 'Redirect to the API documentation', 302, () => Promise.resolve(entrance));
};
