import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** A client that shows what came over the wire, before anything is decompressed. */

export type WireReply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type WireRequest = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export const askOverWire = (address: string, path: string, asked: WireRequest = {}): Promise<WireReply> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = asked;
    const sent = request(`${address}${path}`, { method, headers, agent: false }, (reply) => {
      const parts: Buffer[] = [];
      reply.on('data', (part: Buffer) => parts.push(part));
      reply.once('error', reject);
      reply.once('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });

/** The text of a reply, whatever its encoding. */
export const textOfReply = ({ headers, body }: WireReply): string => {
  const encoding = headers['content-encoding'];
  if (encoding === 'br') return brotliDecompressSync(body).toString();
  return (encoding === 'gzip' ? gunzipSync(body) : body).toString();
};

/** What clients send about encodings. */
export const PYTHON = { 'accept-encoding': 'gzip, deflate' };
export const JAVA = { 'accept-encoding': 'gzip, x-gzip, deflate' };
export const BROWSER = { 'accept-encoding': 'gzip, deflate, br, zstd' };

/** The header of a proxy on this machine, behind which somebody else asks. */
export const PROXIED = { 'x-forwarded-for': '203.0.113.7' };
