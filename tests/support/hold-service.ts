/**
 * A program that runs a whole service until its input ends. The argument gives the store and the limits; each line of
 * input is a request (method, path and body), or a time for which the event loop is blocked.
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
