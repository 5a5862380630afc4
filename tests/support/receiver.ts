import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** An HTTP server that receives webhook calls in tests. */

/** A received call. */
export type Received = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
  readonly event: any;
};

/** What a receiver does with a call: a status, or one after a while or after something has happened. */
export type Reaction =
  | number
  | {
      readonly status: number;
      readonly afterMs?: number;
      readonly after?: Promise<unknown>;
      readonly headers?: object;
      readonly body?: string;
    };

export type Receiver = {
  readonly address: string;
  /** Every call so far, in the order in which they arrived. */
  readonly calls: readonly Received[];
  /** The calls to one path. */
  at(path: string): Received[];
  /** How many connections were opened. */
  connections(): number;
  react(reaction: (call: Received) => Reaction): void;
  /** Nobody listens any more, until `back`. */
  down(): Promise<void>;
  back(): Promise<void>;
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** Somebody who is called: a server on the loopback address that keeps what arrives. */
export const openReceiver = async (): Promise<Receiver> => {
  const calls: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let react: (call: Received) => Reaction = () => 200;
  let server: Server | undefined;
  let port = 0;

  const listen = async () => {
    server = createServer(async (request, response) => {
      const body = await bodyOf(request);
      const { method = '', url = '', headers } = request;
      const call = { method, path: url, headers, body, event: JSON.parse(body) };
      calls.push(call);
      const reaction = react(call);
      const {
        status,
        afterMs = 0,
        after,
        headers: more = {},
        body: text = 'heard',
      } = typeof reaction === 'number' ? { status: reaction } : reaction;
      if (afterMs > 0) await sleep(afterMs);
      await after;
      response.writeHead(status, { ...more, 'content-type': 'text/plain' }).end(text);
    });
    server.on('connection', (socket) => {
      connections += 1;
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  };

  await listen();
  return {
    address: `http://127.0.0.1:${port}`,
    calls,
    at: (path) => calls.filter((call) => call.path.split('?')[0] === path),
    connections: () => connections,
    react: (next) => {
      react = next;
    },
    down: async () => {
      const closed = new Promise((resolve) => server?.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    back: listen,
  };
};
