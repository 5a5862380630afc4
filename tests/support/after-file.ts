type Check = () => Promise<readonly string[]>;

const checks: Check[] = [];
const cleanups: (() => Promise<void>)[] = [];

/** Has something cleaned up once the test file that this process runs has ended. */
export const cleanAfterFile = (cleanup: () => Promise<void>): void => {
  cleanups.push(cleanup);
};

/** Has something checked whenever this process has run a test file. The check answers what the file left behind. */
export const checkAfterFile = (check: Check): void => {
  checks.push(check);
};

/** Cleans up after the last file, and answers what it left behind nevertheless. */
export const findLeftBehind = async (): Promise<readonly string[]> => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  const found: string[] = [];
  for (const check of checks) found.push(...(await check()));
  return found;
};
