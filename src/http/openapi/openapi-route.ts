import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Answer, Call, Route } from '../route.ts';
import { buildOpenApiDocument, type OpenApiOptions } from './document.ts';

/** Serves the API document: built on first use, then kept as bytes in each encoding. */

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** High enough to shrink the document to a few per cent, and fast enough for the first caller to wait for. */
const BROTLI_QUALITY = 6;

const JSON_TYPE = 'application/json';

/** What is computed once: the bytes by encoding, and the tag that names them. */
type ServedDocument = {
  readonly etag: string;
  readonly plain: Uint8Array;
  readonly encoded: ReadonlyMap<string, Uint8Array>;
};

const encodeDocument = async (text: string): Promise<ServedDocument> => {
  const plain = Buffer.from(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [br, gz] = await Promise.all([brotli(plain, { params }), deflate(plain)]);
  const digest = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  return {
    etag: `"${digest}"`,
    plain,
    encoded: new Map([
      ['br', br],
      ['gzip', gz],
    ]),
  };
};

/** Chooses the first encoding, in the order of our preference, that the header accepts. */
const chooseEncoding = (header: string | undefined, offered: Iterable<string>): string | undefined => {
  const ranges = (header ?? '').split(',').map((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return { name, isRefused: parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) };
  });
  return [...offered].find((encoding) => {
    const range = ranges.find(({ name }) => name === encoding) ?? ranges.find(({ name }) => name === '*');
    return range !== undefined && !range.isRefused;
  });
};

const matchesTag = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => [etag, '*'].includes(tag.trim().replace(/^W\//, '')));

const answerDocument = ({ etag, plain, encoded }: ServedDocument, call: Call): Answer => {
  // The tag is weak, because one tag stands for all encodings of the same document.
  const headers = { ETag: `W/${etag}`, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache' };
  if (matchesTag(call.header('if-none-match'), etag)) return { status: 304, headers };
  const encoding = chooseEncoding(call.header('accept-encoding'), encoded.keys());
  const content = encoding === undefined ? undefined : encoded.get(encoding);
  if (encoding === undefined || content === undefined)
    return { status: 200, headers, encoded: { mediaType: JSON_TYPE, content: plain } };
  return {
    status: 200,
    headers: { ...headers, 'Content-Encoding': encoding },
    encoded: { mediaType: JSON_TYPE, content },
  };
};

/** Declares `GET /openapi.json`. The document is built on first use, whoever asks for it how often. */
export const openApiRoute = (routes: () => readonly Route[], options: OpenApiOptions): Route => {
  let served: Promise<ServedDocument> | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get the OpenAPI document',
    tag: 'System',
    access: 'public',
    responses: { 200: undefined, 304: undefined },
    handle: async (call) => {
      served ??= encodeDocument(JSON.stringify(buildOpenApiDocument(routes(), options)));
      return answerDocument(await served, call);
    },
  };
};
