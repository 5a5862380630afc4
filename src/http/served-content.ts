import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { chooseEncoding } from './choose-encoding.ts';
import type { Answer, Call } from './route.ts';

/** Serves content that stays the same: encoded on first use, then kept as bytes in each encoding, with a tag that names it. */

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** High enough to shrink texts to a few per cent, and fast enough for the first caller to wait for. */
const BROTLI_QUALITY = 6;

/** What is computed once: the bytes by encoding, and the tag that names them. */
type EncodedContent = {
  readonly etag: string;
  readonly plain: Uint8Array;
  readonly encoded: ReadonlyMap<string, Uint8Array>;
};

const encodeContent = async (plain: Uint8Array): Promise<EncodedContent> => {
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

const matchesTag = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => [etag, '*'].includes(tag.trim().replace(/^W\//, '')));

type Content = {
  readonly mediaType: string;
  readonly read: () => string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Answers the content, in an encoding that the caller accepts, or 304 to whoever has it already. */
export const serveContent = ({ mediaType, read, headers = {} }: Content): ((call: Call) => Promise<Answer>) => {
  let served: Promise<EncodedContent> | undefined;
  return async (call) => {
    served ??= encodeContent(Buffer.from(read()));
    const { etag, plain, encoded } = await served;
    // The tag is weak, because one tag stands for all encodings of the same content.
    const all = { 'Cache-Control': 'no-cache', ...headers, ETag: `W/${etag}`, Vary: 'Accept-Encoding' };
    if (matchesTag(call.header('if-none-match'), etag)) return { status: 304, headers: all };
    const encoding = chooseEncoding(call.header('accept-encoding'), encoded.keys());
    const content = encoding === undefined ? undefined : encoded.get(encoding);
    if (encoding === undefined || content === undefined)
      return { status: 200, headers: all, encoded: { mediaType, content: plain } };
    return { status: 200, headers: { ...all, 'Content-Encoding': encoding }, encoded: { mediaType, content } };
  };
};
