import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import { copyPreparedHome, PREPARED_HOMES } from './prepared-home.ts';

/** Where a process of a run finds its database and its keys. */
export type Place = { readonly env: NodeJS.ProcessEnv; readonly archived: Promise<void>; close(): Promise<void> };

/**
 * Databases that tests start for themselves live for a minute. The optimising compiler would take a quarter of their
 * processor time and be stopped before that pays.
 */
const BRIEF_JAVA = '-XX:TieredStopAtLevel=1';

/**
 * The databases of the run live for a few minutes. The optimising compiler then pays only for what is called most, so it
 * waits ten times as long as usual.
 */
const LATE_OPTIMISING = [
  '-XX:Tier4InvocationThreshold=50000',
  '-XX:Tier4MinInvocationThreshold=6000',
  '-XX:Tier4CompileThreshold=150000',
  '-XX:Tier4BackEdgeThreshold=400000',
  // Memory is cheaper here than time: by default, a twelfth of the time may go to collecting garbage in a small heap.
  '-XX:GCTimeRatio=99',
].join(' ');

const withJavaOptions = (options: string): NodeJS.ProcessEnv => ({
  ...process.env,
  JDK_JAVA_OPTIONS: [process.env['JDK_JAVA_OPTIONS'] ?? '', options].join(' ').trim(),
});

/**
 * Opens a place with a home of its own, on a new server or on the one named by NEO4J_URI. Its store starts from the
 * prepared home, when there is one, and is empty otherwise.
 */
export const openPlace = async (prepared: string | undefined, report: (line: string) => void): Promise<Place> => {
  const home = await mkdtemp(join(tmpdir(), 'tributary-test-'));
  const external = process.env['NEO4J_URI'];
  const env = withJavaOptions(LATE_OPTIMISING);
  if (prepared !== undefined) await copyPreparedHome(home, prepared);
  const server = external ? undefined : await startEmbeddedServer({ home, heap: '2g', pagecache: '256m', report, env });
  return {
    env: {
      ...withJavaOptions(BRIEF_JAVA),
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      TEST_HOME: home,
      [PREPARED_HOMES]: prepared,
      TEST_NEO4J_URI: server?.uri ?? external,
      TEST_NEO4J_USER: server?.user ?? process.env['NEO4J_USER'] ?? 'neo4j',
      TEST_NEO4J_PASSWORD: server?.password ?? process.env['NEO4J_PASSWORD'] ?? '',
    },
    archived: server?.archived ?? Promise.resolve(),
    close: async () => {
      await server?.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
};
