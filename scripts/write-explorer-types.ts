/**
 * Writes what the explorer is compiled against, after the kinds or the API have changed: `npm run types:explorer`, or with
 * the address of another service behind `--`.
 */
import { writeFile } from 'node:fs/promises';
import { type ApiDocument, describeKinds, EXPLORER_API, generateTypes } from './explorer-types.ts';

const [service = 'http://localhost:8585'] = process.argv.slice(2);

const answer = await fetch(new URL('/openapi.json', service));
if (!answer.ok) throw new Error(`${service} answers ${answer.status}`);
await writeFile(EXPLORER_API.kinds, await describeKinds());
await writeFile(EXPLORER_API.schema, await generateTypes((await answer.json()) as ApiDocument));
