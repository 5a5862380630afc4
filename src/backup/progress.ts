const EVERY_MS = 2000;

/** Tells how far something has come, at most every two seconds and once at its end. */
export type Progress = {
  advance(by?: number): void;
  done(): void;
};

const counted = (value: number): string => value.toLocaleString('en-US');

export const createProgress = (report: (line: string) => void, what: string, total: number): Progress => {
  const startedMs = performance.now();
  let saidMs = startedMs;
  let count = 0;
  const seconds = (nowMs: number): string => `${((nowMs - startedMs) / 1000).toFixed(0)} s`;
  return {
    advance: (by = 1) => {
      count += by;
      const nowMs = performance.now();
      if (nowMs - saidMs < EVERY_MS) return;
      saidMs = nowMs;
      report(`${what}: ${counted(count)} of ${counted(total)} after ${seconds(nowMs)}`);
    },
    done: () => report(`${what}: ${counted(count)} in ${seconds(performance.now())}`),
  };
};
