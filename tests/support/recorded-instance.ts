import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { packageRoot } from '../../src/graph/package-root.ts';

/** Plays an instance of another catalog whose answers were recorded, by the paths that were asked for. */

/** The answers by path and query. A refusal is `{$status, body}`. */
type Recording = Readonly<Record<string, unknown>>;

export type RecordedInstance = {
  readonly address: string;
  readonly recording: Recording;
  /** The paths that were asked for, in their order. */
  readonly asked: string[];
  /** What was asked for and is not recorded: an import that asks for something new fails. */
  readonly missing: string[];
  /** Hangs up instead of answering from so many requests on, or never. */
  hangUpAfter(requests: number | undefined): void;
  /** Is too busy for the next request. */
  beBusyOnce(): void;
  close(): Promise<void>;
};

/** Reads a recording, of which each line is an address and its answer. */
const readRecording = async (name: string): Promise<Recording> => {
  const text = await readFile(`${packageRoot}/tests/fixtures/moves/${name}.jsonl`, 'utf8');
  const lines = text.trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]));
};

/** Starts the instance on the loopback address. With a token it answers nobody else. */
export const playInstance = async (
  name: string,
  { token, port = 0 }: { readonly token?: string; readonly port?: number } = {},
): Promise<RecordedInstance> => {
  const recording = await readRecording(name);
  const asked: string[] = [];
  const missing: string[] = [];
  let left = Number.POSITIVE_INFINITY;
  let isBusy = false;
  const server: Server = createServer(({ method, url = '', headers }, response) => {
    const answer = (status: number, body: unknown, more: Readonly<Record<string, string>> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
    if (left <= 0) return response.destroy();
    left -= 1;
    asked.push(url);
    if (isBusy) {
      isBusy = false;
      return answer(429, { message: 'busy' }, { 'retry-after': '0' });
    }
    if (token !== undefined && headers.authorization !== `Bearer ${token}`) {
      return answer(401, { code: 401, message: 'Not authorized' });
    }
    if (method === 'GET' && Object.hasOwn(recording, url)) {
      const { $status = 200, body } = recording[url] as { readonly $status?: number; readonly body?: unknown };
      return answer($status, $status === 200 ? recording[url] : body);
    }
    missing.push(`${method} ${url}`);
    return answer(501, { message: `not recorded: ${method} ${url}` });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    recording,
    asked,
    missing,
    hangUpAfter: (requests = Number.POSITIVE_INFINITY) => {
      left = requests;
    },
    beBusyOnce: () => {
      isBusy = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
