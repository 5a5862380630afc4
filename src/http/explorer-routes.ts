import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { notFound } from '../errors.ts';
import type { FindPage } from './other-addresses.ts';
import type { Answer, AnswerStray, Call, Route } from './route.ts';
import { serveContent } from './served-content.ts';

/** Serves the explorer: one page under every address that it has, and the files that the page loads. */

/**
 * The security policy of the page: scripts, styles and workers are files of this service, and it calls no other. Pictures of
 * the lineage are made in the browser, so addresses of what it holds in memory are allowed for them. What may become markup
 * or a script is decided in one place of the explorer (`src/explorer/trusted-types.ts`).
 */
const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
});

/** The names of these files change with their content. */
const FILE_HEADERS = Object.freeze({ 'Cache-Control': 'public, max-age=31536000, immutable' });

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const EXPLORER_FOLDER = 'dist/explorer';

/** The addresses of the explorer. What stands in braces is for its script to read. */
const PAGES = [
  { path: '/', of: 'the start' },
  { path: '/search', of: 'the search' },
  { path: '/catalog-health', of: 'the health of the catalog' },
  { path: '/changes', of: 'what changed' },
  { path: '/agreement', of: 'declared and observed lineage' },
  { path: '/ask', of: 'queries to the graph' },
  { path: '/people', of: 'people and teams' },
  { path: '/audit', of: 'the audit log' },
  { path: '/assets/{type}/{fqn}', of: 'an asset' },
  { path: '/lineage/{type}/{fqn}', of: 'the lineage of an asset' },
  { path: '/contracts/{type}/{fqn}', of: 'the contract of an asset' },
  { path: '/csv/{type}/{fqn}', of: 'the CSV of an asset' },
  { path: '/paths', of: 'the lineage paths between two assets' },
] as const;

type Serve = (call: Call) => Promise<Answer>;

const readFiles = (folder: string): ReadonlyMap<string, Serve> =>
  new Map(
    readdirSync(folder).map((name) => {
      const mediaType = MEDIA_TYPES[extname(name)];
      if (mediaType === undefined) throw new Error(`a file of the explorer has no media type: ${name}`);
      const content = readFileSync(join(folder, name));
      return [name, serveContent({ mediaType, read: () => content, headers: FILE_HEADERS })];
    }),
  );

const PAGE_MEDIA_TYPE = 'text/html; charset=utf-8';

const readPage = (packageRoot: string): Uint8Array => readFileSync(join(packageRoot, EXPLORER_FOLDER, 'index.html'));

/**
 * Creates the answers for addresses that no page has. Some lead to another one; at all others is the page, whose script
 * says so and leads on.
 */
export const createStrayAnswer = (packageRoot: string, findPage: FindPage): AnswerStray => {
  const missing = {
    headers: { ...PAGE_HEADERS, 'Cache-Control': 'no-store' },
    encoded: { mediaType: PAGE_MEDIA_TYPE, content: readPage(packageRoot) },
  };
  return (segments, status) => {
    const location = findPage(segments);
    return location === undefined ? { ...missing, status } : { status: 302, headers: { ...PAGE_HEADERS, location } };
  };
};

/** Declares the pages and files of the explorer in `dist/explorer`. Throws when it has not been built. */
export const explorerRoutes = (packageRoot: string): readonly Route[] => {
  const html = readPage(packageRoot);
  const files = readFiles(join(packageRoot, EXPLORER_FOLDER, 'assets'));
  const page = serveContent({ mediaType: PAGE_MEDIA_TYPE, read: () => html, headers: PAGE_HEADERS });
  const declare = (path: string, summary: string, handle: Serve): Route => ({
    method: 'GET',
    path,
    summary,
    tag: 'Explorer',
    access: 'public',
    responses: { 200: undefined, 304: undefined },
    handle,
  });
  return [
    ...PAGES.map(({ path, of }) => declare(path, `Get the page of ${of}`, page)),
    declare('/explorer/assets/{file}', 'Get a file of the explorer', (call) => {
      const serve = files.get(call.params['file'] ?? '');
      if (serve === undefined) throw notFound('The explorer has no such file');
      return serve(call);
    }),
  ];
};
