/** A pause that can be ended early. A wake-up before the pause begins ends it at once, so that none is missed. */
export const createWakeablePause = () => {
  let end: (() => void) | undefined;
  let isWoken = false;
  const wake = (): void => {
    isWoken = true;
    end?.();
  };
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => end?.(), ms).unref();
      end = () => {
        clearTimeout(timer);
        end = undefined;
        isWoken = false;
        resolve();
      };
      if (isWoken) end();
    });
  return { wake, pause };
};
