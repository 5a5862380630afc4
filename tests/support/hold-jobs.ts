/**
 * Does the jobs of the store that the environment names, in a process of its own, until it is killed. The argument holds
 * the bounds. Each line of its input is a request that is made of it as well: method, path and body.
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
