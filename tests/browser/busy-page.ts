import type { Browser, CDPSession, Page } from 'playwright-core';

/** How long a page is busy, and how much it holds. */

type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds: what waits for a processor is not busy. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
};

const TRACED = { includedCategories: ['toplevel', '__metadata'], excludedCategories: ['*'] };

const isPageThread = ({ name, args }: TraceEvent): boolean => name === 'thread_name' && args?.name === 'CrRendererMain';

const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;

const readTrace = async (session: CDPSession): Promise<readonly TraceEvent[]> => {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { readonly value: readonly unknown[] }): void => {
    events.push(...(value as readonly TraceEvent[]));
  };
  session.on('Tracing.dataCollected', collect);
  const isComplete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await isComplete;
  session.off('Tracing.dataCollected', collect);
  return events;
};

/** Watches the pages of a browser until `close`; `longestMs` tells the longest task since it was last asked. */
export const watchTasks = async (browser: Browser) => {
  const session = await browser.newBrowserCDPSession();
  const start = () => session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: TRACED });
  await start();
  return {
    longestMs: async (): Promise<number> => {
      const events = await readTrace(session);
      await start();
      const threads = new Set(events.filter(isPageThread).map(threadOf));
      const tasks = events.filter((event) => threads.has(threadOf(event)));
      if (!tasks.some(({ tdur }) => tdur !== undefined)) throw new Error('the browser tells nothing of its tasks');
      return Math.round(tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur), 0) / 1000);
    },
    close: async (): Promise<void> => {
      await readTrace(session);
      await session.detach();
    },
  };
};

export type WatchedTasks = Awaited<ReturnType<typeof watchTasks>>;

export const countElements = (page: Page): Promise<number> =>
  page.evaluate<number>(`document.querySelectorAll('*').length`);
