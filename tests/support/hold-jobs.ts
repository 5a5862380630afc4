/**
 * A program that runs the jobs of the store named by the environment until it is killed. The first argument gives the
 * limits; each line of input is also sent as a request (method, path and body). With a hold point as the second argument
 * it says `held` when it gets there, and goes no further.
 */
import { createInterface } from 'node:readline';
import { type HoldPoint, withHoldPoint } from './hold-point.ts';
import { openServiceAt, placeOfRun } from './service.ts';

const [bounds = '{}', point] = process.argv.slice(2);

const hold = (): Promise<void> => {
  console.log('held');
  return new Promise(() => {});
};

const { admin } = await openServiceAt(
  {
    ...placeOfRun(),
    ...(point ? { wrapGraph: (graph) => withHoldPoint(graph, JSON.parse(point) as HoldPoint, hold) } : {}),
  },
  JSON.parse(bounds),
);
console.log('ready');
createInterface(process.stdin)
  .on('line', async (line) => {
    const { method, path, body } = JSON.parse(line);
    const { status } = await admin.raw(method, path, body && JSON.stringify(body));
    console.log(`answered ${status}`);
  })
  .on('close', () => process.exit(0));
