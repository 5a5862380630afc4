const EVERY_MS = 2000;

/** Reports progress, at most every two seconds and once at the end. */
export type ProgressReporter = {
  advance(by?: number): void;
  done(): void;
};

const formatCount = (value: number): string => value.toLocaleString('en-US');

export const createProgressReporter = (
  report: (line: string) => void,
  what: string,
  total: number,
): ProgressReporter => {
  const startedMs = performance.now();
  let reportedMs = startedMs;
  let count = 0;
  const seconds = (nowMs: number): string => `${((nowMs - startedMs) / 1000).toFixed(0)} s`;
  return {
    advance: (by = 1) => {
      count += by;
      const nowMs = performance.now();
      if (nowMs - reportedMs < EVERY_MS) return;
      reportedMs = nowMs;
      report(`${what}: ${formatCount(count)} of ${formatCount(total)} after ${seconds(nowMs)}`);
    },
    done: () => report(`${what}: ${formatCount(count)} in ${seconds(performance.now())}`),
  };
};
