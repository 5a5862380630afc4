import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type Client, uniqueName } from './service.ts';

/** Compares answers that are kept in memory with those that the graph gives. */

const USUAL_ADDRESS = 'http://localhost';

/** An answer is kept once it was the same so long: what a service is composed with that confirms answers soon. */
export const SOON = { confirmationMs: 20 } as const;

/** Longer than that, and longer than what any other service waits. */
const [SOON_MS, USUAL_MS] = [30, 550];

/** Waits until a service that confirms answers soon may keep one that it gave. */
export const pauseUntilKept = (): Promise<void> => sleep(SOON_MS);

/**
 * Reads under an address that nobody has used before. Kept answers differ by the prefix of their hrefs, so this read asks
 * the graph.
 */
const readFromGraph = async (client: Client, path: string) => {
  const address = `http://${uniqueName('fresh').replaceAll('_', '-')}.test`;
  const reply = await client.get(`${address}${path}`);
  return { ...reply, text: reply.text.replaceAll(address, USUAL_ADDRESS) };
};

/** Graphs say of which time they are. */
const withoutTime = (text: string): string => text.replace(/"asOf":\d+/g, '"asOf":0');

/** Has the answers kept as they are, as far as they may be. */
export const confirmAnswers = async (
  client: Client,
  paths: readonly string[],
  waitMs: number = USUAL_MS,
): Promise<void> => {
  const readAll = () => Promise.all(paths.map((path) => client.get(path)));
  await readAll();
  await sleep(waitMs);
  await readAll();
};

/**
 * Compares what was kept before a change with the graph, and has the answers kept as they are now. The client calls a service
 * that confirms answers soon.
 */
export const expectAsInGraph = async (client: Client, paths: readonly string[], what: string): Promise<void> => {
  for (const path of paths) {
    const graph = await readFromGraph(client, path);
    const reply = await client.get(path);
    assert.is(reply.status, graph.status, `${what}: ${path}`);
    assert.is(withoutTime(reply.text), withoutTime(graph.text), `${what}: ${path}`);
    assert.is(reply.headers.get('etag'), graph.headers.get('etag'), `${what}: ${path}`);
  }
  await confirmAnswers(client, paths, SOON_MS);
};
