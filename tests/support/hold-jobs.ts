/** Does the jobs of the store that the environment names, in a process of its own, until it is killed. The argument holds the bounds. */
import { openServiceAt } from './service.ts';

const environment = (name: string): string => process.env[name] ?? '';

await openServiceAt(
  {
    home: environment('TEST_HOME'),
    uri: environment('TEST_NEO4J_URI'),
    user: environment('TEST_NEO4J_USER'),
    password: environment('TEST_NEO4J_PASSWORD'),
  },
  JSON.parse(process.argv[2] ?? '{}'),
);
console.log('ready');
process.stdin.on('end', () => process.exit(0)).resume();
