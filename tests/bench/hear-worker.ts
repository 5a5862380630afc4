/** Somebody who is called by webhooks: counts the calls, and those that came twice. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveJobs } from './worker.ts';

const heard = { calls: 0, doubled: 0 };
const known = new Set<string>();

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const note = (path: string, body: string): void => {
  const { id } = JSON.parse(body) as { readonly id: string };
  const key = `${path} ${id}`;
  if (known.has(key)) heard.doubled += 1;
  known.add(key);
  heard.calls += 1;
};

const listen = (): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer(async (request, response) => {
      note(request.url ?? '', await bodyOf(request));
      response.writeHead(200, { 'content-length': '0' }).end();
    });
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });

const count = (): Promise<typeof heard> => Promise.resolve({ ...heard });

const jobs = { listen, count };

export type HearJobs = typeof jobs;

serveJobs(jobs);
