import { useSyncExternalStore } from 'react';
import { reloadKeepingWork } from '../parts/unsaved.ts';

/**
 * Files of the explorer go when a newer version is installed, so that an older tab cannot load its pages any more. The tab
 * loads itself anew then, once: when that does not help, the visitor decides.
 */

const RELOADED_AT = 'tributary.reloadedAt';
/** A failure so soon after a reload has another cause. */
const AGAIN_AFTER_MS = 10 * 60_000;

let isReloading = false;
let lastLoss: unknown;
const listeners = new Set<() => void>();

const setReloading = (next: boolean): void => {
  isReloading = next;
  for (const listener of listeners) listener();
};

const isRecent = (): boolean => Date.now() - Number(sessionStorage.getItem(RELOADED_AT) ?? 0) < AGAIN_AFTER_MS;

/** Whether the page would be there again. Without a connection, the visitor keeps what they have. */
const isServed = async (): Promise<boolean> => {
  const answer = await fetch(location.pathname, { cache: 'no-store' }).catch(() => undefined);
  return answer?.ok === true;
};

/** Remembers the reload before it happens: one that cannot be remembered could go on for ever. */
const rememberReload = (): boolean => {
  try {
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    return true;
  } catch {
    return false;
  }
};

/** Whether a failure is that of a file which could not be loaded. */
export const isOfFile = (failure: unknown): boolean => lastLoss !== undefined && failure === lastLoss;

/** Loads the page anew because a file of it is gone. */
export const reloadForFiles = async (): Promise<void> => {
  if (isReloading || isRecent()) return;
  setReloading(true);
  const isLeaving = (await isServed()) && rememberReload() && reloadKeepingWork();
  if (!isLeaving) setReloading(false);
};

/** Hears of the files that the bundler's loader did not get. */
export const watchFiles = (): void =>
  addEventListener('vite:preloadError', ({ payload }) => {
    lastLoss = payload;
    reloadForFiles();
  });

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useIsReloading = (): boolean => useSyncExternalStore(subscribe, () => isReloading);
