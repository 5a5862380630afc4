/**
 * A program that runs a whole service until its input ends. The argument gives the store and the limits; each line of
 * input is a request (method, path and body).
 */
import { createInterface } from 'node:readline';
import { openServiceAt } from './service.ts';

const { place, bounds } = JSON.parse(process.argv[2] ?? '{}');
const { admin } = await openServiceAt(place, bounds);

console.log('ready');
createInterface(process.stdin)
  .on('line', async (line) => {
    const { method, path, body } = JSON.parse(line);
    const { status } = await admin.raw(method, path, body && JSON.stringify(body));
    console.log(`answered ${status}`);
  })
  .on('close', () => process.exit(0));
