/**
 * A program that serves the store named by the environment until its input ends. For each line of input it prints the
 * longest time the event loop was blocked since the previous line.
 */
import { createInterface } from 'node:readline';
import { serveApp } from '../../src/http/server.ts';
import { probeLoop } from './loop-probe.ts';
import { closeServiceAt, openServiceAt, placeOfRun } from './service.ts';

const env = { WEBHOOK_ALLOW_PRIVATE: 'true' };
const service = await openServiceAt({ ...placeOfRun(), env }, {}, true);
const served = await serveApp(service.app.hono, { host: '127.0.0.1', port: 0 });
const probe = probeLoop();
console.log(`ready ${served.address}`);
createInterface(process.stdin)
  .on('line', () => console.log(`longest ${probe.longest()}`))
  .on('close', async () => {
    probe.stop();
    await served.close();
    await closeServiceAt(service);
  });
