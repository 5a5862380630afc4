/** Thrown when a server cannot be reached, takes too long, answers too much, or has failed itself. */
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable';
}

type FetchBounds = { readonly timeoutMs: number; readonly maxBytes: number };

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
  (bounds: FetchBounds): FetchJson =>
  async (url) => {
    const signal = AbortSignal.timeout(bounds.timeoutMs);
    const response = await fetch(url, { redirect: 'error', signal, headers: { accept: 'application/json' } });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw new Error(`the answer has status ${response.status}`);
    }
    return JSON.parse((await readBounded(response.body, bounds.maxBytes)).toString('utf8'));
  };

/**
 * Creates a fetch whose time and size limits include the response body. Redirects are answered, not followed. Rejects
 * with ServerUnavailable when the server is to blame.
 */
export const createBoundedFetch =
  (bounds: FetchBounds) =>
  async (url: string, init: RequestInit): Promise<Response> => {
    try {
      const signal = AbortSignal.timeout(bounds.timeoutMs);
      const response = await fetch(url, { ...init, redirect: 'manual', signal });
      const body = response.body === null ? null : await readBounded(response.body, bounds.maxBytes);
      if (response.status >= 500) throw new Error(`the answer has status ${response.status}`);
      const { status, headers } = response;
      const answer = new Response(body === null ? null : new Uint8Array(body), { status, headers });
      // The library compares the address of an answer in some of its checks, and a new response has none.
      Object.defineProperty(answer, 'url', { value: response.url });
      return answer;
    } catch (cause) {
      throw new ServerUnavailable(`no answer from ${new URL(url).host}`, { cause });
    }
  };
