import { parentPort, workerData } from 'node:worker_threads';
import { serveLane } from './serve-lane.ts';
import { openThreadApp, type ThreadAppData } from './thread-app.ts';

/** The entry point of the heavy lane's thread. It runs no jobs, events or deliveries; the background thread does. */
const port = parentPort;
if (port) {
  const { app, tracing, close } = await openThreadApp(workerData as ThreadAppData, port);
  // The rest of what the application holds ends with the thread.
  serveLane(port, app, tracing, () => close().finally(() => process.exit(0)));
}
