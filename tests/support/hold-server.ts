/** A program that runs the embedded server on the home named by the argument until its input ends. */
import { startEmbeddedServer } from '../../src/graph/embedded/server.ts';

const [home = ''] = process.argv.slice(2);
const report = (line: string) => console.log(`report ${line}`);
const server = await startEmbeddedServer({ home, heap: '512m', pagecache: '64m', report });
console.log(`ready ${JSON.stringify({ uri: server.uri, password: server.password, pid: server.pid })}`);
// Ends without stop(): the server has to follow by itself.
process.stdin.on('end', () => process.exit(0)).resume();
