/**
 * A whole service in a process of its own, until its input ends. The argument holds where, and the bounds. Each line of
 * its input is a request that is made of it (method, path and body), or says for how long its event loop stands still.
 */
import { createInterface } from 'node:readline';
import { openServiceAt } from './service.ts';

const { place, bounds } = JSON.parse(process.argv[2] ?? '{}');
const { admin } = await openServiceAt(place, bounds);

const stall = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

console.log('ready');
createInterface(process.stdin)
  .on('line', async (line) => {
    const { method, path, body, stallMs } = JSON.parse(line);
    if (stallMs) {
      stall(stallMs);
      console.log('stalled');
      return;
    }
    const { status } = await admin.raw(method, path, body && JSON.stringify(body));
    console.log(`answered ${status}`);
  })
  .on('close', () => process.exit(0));
