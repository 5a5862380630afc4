import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import neo4j from 'neo4j-driver';
import { StartupError } from '../../errors.ts';
import type { LogWatch } from './log-watch.ts';
import type { ServerProcess } from './server-process.ts';

/** Waits for a starting server and checks a running one. */

/** A store that was not closed cleanly is recovered first, which may take minutes when it is large. */
const START_LIMIT_MS = 15 * 60_000;
const REPORT_EVERY_MS = 5000;
const LOG_POLL_MS = 40;

const DATABASE_NOT_STARTED =
  'The embedded Neo4j runs, but its database does not start. The file logs/debug.log below TRIBUTARY_HOME says why; ' +
  'most often there is no room left on the disk (a new store needs about 600 MB).';

/** Finds a loopback port that nobody listens on at this moment. */
export const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });

/**
 * True when the server reports that Bolt is open, false when it ended before that. The port itself is not tried,
 * because another program may have taken it and would receive the password.
 */
export const waitForBolt = async (
  child: ServerProcess,
  log: LogWatch,
  report: (line: string) => void,
): Promise<boolean> => {
  const started = performance.now();
  for (let reportedAt = started; !child.hasExited(); await sleep(LOG_POLL_MS)) {
    if (/Bolt enabled on/.test(await log.text())) return true;
    const now = performance.now();
    if (now - started > START_LIMIT_MS) throw new StartupError('The embedded Neo4j was not ready after 15 minutes.');
    if (now - reportedAt < REPORT_EVERY_MS) continue;
    reportedAt = now;
    report(`starting Neo4j: ${Math.round((now - started) / 1000)} s`);
  }
  return false;
};

const neo4jErrorCode = (failure: unknown): string | undefined =>
  failure instanceof neo4j.Neo4jError ? failure.code : undefined;

/** Whether the server runs but has stopped its database, as it does when it cannot write. Only a restart helps. */
const isDatabaseDown = (failure: unknown): boolean =>
  /\.(DatabaseUnavailable|TransactionStartFailed)$/.test(neo4jErrorCode(failure) ?? '');

/** Opens a check, over a connection that stays open, whether the database of a running server has stopped. */
export const openHealthCheck = (uri: string, user: string, password: string) => {
  const driver = neo4j.driver(uri, neo4j.auth.basic(user, password), {
    telemetryDisabled: true,
    maxTransactionRetryTime: 0,
    maxConnectionPoolSize: 1,
  });
  return {
    isDown: async (): Promise<boolean> => {
      const session = driver.session();
      try {
        await session.run('RETURN 1');
        return false;
      } catch (failure) {
        return isDatabaseDown(failure);
      } finally {
        await session.close();
      }
    },
    close: () => driver.close(),
  };
};

/**
 * Checks that the database answers and accepts the password. An open Bolt port alone does not prove that, and an error
 * is better found now than at the first request.
 */
export const checkLogin = async (uri: string, user: string, password: string): Promise<void> => {
  const driver = neo4j.driver(uri, neo4j.auth.basic(user, password), { telemetryDisabled: true });
  try {
    await driver.executeQuery('RETURN 1');
  } catch (failure) {
    if (isDatabaseDown(failure)) throw new StartupError(DATABASE_NOT_STARTED, { cause: failure });
    if (neo4jErrorCode(failure) !== 'Neo.ClientError.Security.Unauthorized') throw failure;
    throw new StartupError('The embedded Neo4j rejects the stored password: store and password file do not match.', {
      cause: failure,
    });
  } finally {
    await driver.close();
  }
};
