import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
  type ZlibOptions,
} from 'node:zlib';

/** Compresses the bodies of answers, whole or piece by piece. */

/** The encodings that answers can have, the better one first. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * These make JSON of 1 MB an eighth as long in some 5 ms. Higher values take twice the time for a tenth less, and lower
 * ones save little time.
 */
const BROTLI_QUALITY = 3;
const GZIP_LEVEL = 3;

/** Up to this size, compressing takes the event loop a fraction of a millisecond, and handing over to a thread as much. */
const MAX_BYTES_ON_LOOP = 32 * 1024;

/** The thread pool returns to the event loop whenever a chunk is full. */
const CHUNK_BYTES = 64 * 1024;

const inThread = { br: promisify(brotliCompress), gzip: promisify(gzip) };

const gzipOptions: ZlibOptions = { level: GZIP_LEVEL };

const brotliOptions = (bytes?: number): BrotliOptions => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    ...(bytes === undefined ? {} : { [constants.BROTLI_PARAM_SIZE_HINT]: bytes }),
  },
});

/** Compresses a short body at once, and a long one in another thread. */
export const compressBody = (body: Uint8Array, encoding: Encoding): Uint8Array | Promise<Uint8Array> => {
  const options = encoding === 'br' ? brotliOptions(body.byteLength) : gzipOptions;
  if (body.byteLength > MAX_BYTES_ON_LOOP) return inThread[encoding](body, { ...options, chunkSize: CHUNK_BYTES });
  return encoding === 'br' ? brotliCompressSync(body, options) : gzipSync(body, options);
};

type Compressor = ReturnType<typeof createGzip> | ReturnType<typeof createBrotliCompress>;

type Step = (done: (failure?: Error | null) => void) => void;

/** Opens a compressor, and answers how to run a step of it, which collects all that comes out until the step is done. */
const openCompressor = (encoding: Encoding) => {
  const compressor: Compressor =
    encoding === 'br'
      ? createBrotliCompress({ ...brotliOptions(), chunkSize: CHUNK_BYTES })
      : createGzip({ ...gzipOptions, chunkSize: CHUNK_BYTES });
  let parts: Uint8Array[] = [];
  compressor.on('data', (part: Uint8Array) => parts.push(part));
  const run = (step: Step): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      compressor.once('error', reject);
      step((failure) => {
        compressor.off('error', reject);
        if (failure) return reject(failure);
        // What is still buffered is passed on as data.
        while (compressor.read() !== null);
        resolve(Buffer.concat(parts));
        parts = [];
      });
    });
  return { compressor, run };
};

/** Has all that was written come out, without forgetting what later pieces may repeat. */
const FLUSH = { br: constants.BROTLI_OPERATION_FLUSH, gzip: constants.Z_SYNC_FLUSH };

/**
 * Compresses pieces as they come. Each is flushed, so that the client can read it before the next one exists, and none is
 * fetched before the client has room for it.
 */
export async function* compressPieces(
  pieces: AsyncIterable<string | Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { compressor, run } = openCompressor(encoding);
  try {
    for await (const piece of pieces) {
      if (piece.length === 0) continue;
      yield await run((done) => {
        compressor.write(piece);
        compressor.flush(FLUSH[encoding], done);
      });
    }
    yield await run((done) => {
      compressor.once('end', done);
      compressor.end();
    });
  } finally {
    compressor.destroy();
  }
}
