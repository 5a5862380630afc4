/** Reads the JSON document at a URL. Rejects when the response takes too long, is too large or is not JSON. */
export type FetchJson = (url: string) => Promise<unknown>;

const readBounded = async (body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/**
 * Creates a reader whose time and size limits include the response body. It refuses redirects: keys come only from the
 * configured URL.
 */
export const createFetchJson =
  (bounds: { readonly timeoutMs: number; readonly maxBytes: number }): FetchJson =>
  async (url) => {
    const signal = AbortSignal.timeout(bounds.timeoutMs);
    const response = await fetch(url, { redirect: 'error', signal, headers: { accept: 'application/json' } });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw new Error(`the answer has status ${response.status}`);
    }
    return JSON.parse((await readBounded(response.body, bounds.maxBytes)).toString('utf8'));
  };
