type Check = () => Promise<readonly string[]>;

const checks: Check[] = [];

/** Has something checked whenever this process has run a test file. The check answers what the file left behind. */
export const checkAfterFile = (check: Check): void => {
  checks.push(check);
};

/** Answers what the last file left behind. */
export const findLeftBehind = async (): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const check of checks) found.push(...(await check()));
  return found;
};
