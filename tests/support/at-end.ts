const hooks: (() => Promise<void>)[] = [];

/** Has something done when this process has run its last test file. */
export const atEnd = (hook: () => Promise<void>): void => {
  hooks.push(hook);
};

/** Does what was asked for, the latest first. */
export const runAtEnd = async (): Promise<void> => {
  for (const hook of hooks.reverse()) await hook();
};
