/** Creates wide tables in the schema named by the first argument, one after the other, when its input says so. */
import { once } from 'node:events';
import { closeServiceAt, openServiceAt, placeOfRun, uniqueName } from './service.ts';

const [schema = '', columns = '0', count = '0'] = process.argv.slice(2);
const service = await openServiceAt(placeOfRun());
console.log('ready');
await once(process.stdin, 'data');
for (let made = 0; made < Number(count); made += 1) {
  const answer = await service.admin.post('/v1/tables', {
    name: uniqueName('giant'),
    databaseSchema: schema,
    columns: Array.from({ length: Number(columns) }, (_, at) => ({ name: `column_${at}`, dataType: 'INT' })),
  });
  console.log(`made ${answer.status} ${answer.json.id}`);
}
await closeServiceAt(service);
console.log('done');
process.exit(0);
