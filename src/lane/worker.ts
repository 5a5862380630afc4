import { parentPort, workerData } from 'node:worker_threads';
import { serveLane } from './serve-lane.ts';
import { openThreadApp, type ThreadAppData } from './thread-app.ts';

/** The thread of the heavy lane. It keeps no jobs, events or deliveries going; the background thread does. */
const port = parentPort;
if (port) {
  const { app, close } = await openThreadApp(workerData as ThreadAppData, port);
  // Whatever else the application holds goes with the thread.
  serveLane(port, app, () => close().finally(() => process.exit(0)));
}
