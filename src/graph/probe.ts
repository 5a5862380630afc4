import type { Driver } from 'neo4j-driver';

/** Checks whether the database answers, on a connection that nothing else uses. */
export type Probe = {
  reachable(): Promise<boolean>;
  close(): Promise<void>;
};

/** A database that takes longer counts as unreachable. Connecting alone may take five seconds. */
const ANSWER_WITHIN_MS = 10_000;

const answers = async (driver: Driver, database: string): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ANSWER_WITHIN_MS).unref();
  });
  const isThere = driver.verifyConnectivity({ database }).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([isThere, tooLate]);
  } finally {
    clearTimeout(timer);
  }
};

/** Opens its driver on first use. Concurrent callers share one answer. */
export const createProbe = (openDriver: () => Driver, database: string): Probe => {
  let driver: Driver | undefined;
  let asking: Promise<boolean> | undefined;

  const drop = async (): Promise<void> => {
    const old = driver;
    driver = undefined;
    await old?.close();
  };

  const ask = async (): Promise<boolean> => {
    driver ??= openDriver();
    const isThere = await answers(driver, database);
    // A hanging connection would occupy the only place in the pool, so the next check opens a new one.
    if (!isThere) await drop().catch(() => {});
    return isThere;
  };

  return {
    reachable: () => {
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    close: drop,
  };
};
