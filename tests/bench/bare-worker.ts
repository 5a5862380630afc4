/** A node:http server that does nothing: what the load generator reaches against it is the most it can show. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

const jobs = { listen };

export type BareJobs = typeof jobs;

serveJobs(jobs);
