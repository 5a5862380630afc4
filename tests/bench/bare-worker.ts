/** Servers that do nothing: what the load generator reaches against them is the most it can show. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { serveJobs } from './worker.ts';

/** Serves answers of `bytes` bytes and answers the address. */
const listen = ({ bytes }: { readonly bytes: number }): Promise<string> =>
  new Promise((resolve, reject) => {
    const body = 'x'.repeat(bytes);
    const headers = { 'content-type': 'application/json', 'content-length': String(bytes) };
    const server = createServer((_, response) => response.writeHead(200, headers).end(body));
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });

/** Serves one JSON text from memory by a Hono route and answers the address. */
const answer = ({ body }: { readonly body: string }): Promise<string> =>
  new Promise((resolve) => {
    const content = Buffer.from(body);
    const headers = { 'content-type': 'application/json', 'content-length': String(content.length) };
    const app = new Hono().get('/', () => new Response(content, { headers }));
    serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => resolve(`http://127.0.0.1:${port}`));
  });

const jobs = { listen, answer };

export type BareJobs = typeof jobs;

serveJobs(jobs);
