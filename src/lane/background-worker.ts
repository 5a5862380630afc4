import { parentPort, workerData } from 'node:worker_threads';
import type { MessageToBackground } from './background-thread.ts';
import { fromSharedClock } from './remote-job-worker.ts';
import { openThreadApp, type ThreadAppData } from './thread-app.ts';

/**
 * The background thread numbers events, delivers them, writes notifications, runs jobs, refreshes search documents
 * and lets labels follow lineage. This work reads and writes whole records, so it must not share an event loop with
 * requests.
 */
const port = parentPort;
if (port) {
  const { app, close } = await openThreadApp(workerData as ThreadAppData, port);
  const { events, notifications, runner, dispatcher, refresher, labelFollower, indexer } = app;

  const stop = async (): Promise<void> => {
    const writers = [runner, dispatcher, refresher, labelFollower, indexer];
    await Promise.all(writers.map((writer) => writer?.stop()));
    await notifications.stop();
    await events.stop();
    await close();
  };

  const hear = (message: MessageToBackground): void => {
    switch (message.type) {
      case 'notice':
        app.hear(message.notice);
        return;
      case 'carry': {
        const { id, claimed, safeUntilMs } = message;
        const carried = () => port.postMessage({ type: 'carried', id });
        void runner.carry(claimed, fromSharedClock(safeUntilMs)).finally(carried);
        return;
      }
      case 'stop':
        void stop()
          .catch((failure: unknown) => console.error(failure))
          .finally(() => process.exit(0));
    }
  };

  events.start();
  notifications.start();
  runner.start();
  dispatcher.start();
  refresher.start();
  labelFollower.start();
  indexer?.start();
  port.on('message', hear);
}
