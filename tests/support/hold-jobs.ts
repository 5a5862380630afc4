/**
 * A program that runs the jobs of the store named by the environment until it is killed. The argument gives the limits;
 * each line of input is also sent as a request (method, path and body).
 */
import { createInterface } from 'node:readline';
import { openServiceAt } from './service.ts';

const environment = (name: string): string => process.env[name] ?? '';

const { admin } = await openServiceAt(
  {
    home: environment('TEST_HOME'),
    uri: environment('TEST_NEO4J_URI'),
    user: environment('TEST_NEO4J_USER'),
    password: environment('TEST_NEO4J_PASSWORD'),
  },
  JSON.parse(process.argv[2] ?? '{}'),
);
console.log('ready');
createInterface(process.stdin)
  .on('line', async (line) => {
    const { method, path, body } = JSON.parse(line);
    const { status } = await admin.raw(method, path, body && JSON.stringify(body));
    console.log(`answered ${status}`);
  })
  .on('close', () => process.exit(0));
