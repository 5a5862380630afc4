/**
 * A program that, on each line of input, creates another wide table in the schema named by the first argument, or
 * repeatedly changes many columns of a table that it created.
 */
import { once } from 'node:events';
import { closeServiceAt, openServiceAt, placeOfRun, uniqueName } from './service.ts';

const [schema = '', columns = '0', count = '0', how = 'create'] = process.argv.slice(2);
/** As many operations as a patch may have. */
const MOST_OPERATIONS = 2000;

const service = await openServiceAt(placeOfRun());

const create = () =>
  service.admin.post('/v1/tables', {
    name: uniqueName('giant'),
    databaseSchema: schema,
    columns: Array.from({ length: Number(columns) }, (_, at) => ({ name: `column_${at}`, dataType: 'INT' })),
  });

const patch = (id: string, round: number) =>
  service.admin.patch(
    `/v1/tables/${id}`,
    Array.from({ length: Math.min(MOST_OPERATIONS, Number(columns)) }, (_, at) => ({
      op: 'add',
      path: `/columns/${at * Math.max(1, Math.floor(Number(columns) / MOST_OPERATIONS))}/description`,
      value: `round ${round} of ${at}`,
    })),
  );

const isPatch = how === 'patch';
const id: string = isPatch ? (await create()).json.id : '';
console.log('ready');
await once(process.stdin, 'data');
for (let round = 0; round < Number(count); round += 1) {
  const answer = await (isPatch ? patch(id, round) : create());
  console.log(`made ${answer.status} ${answer.json.id}`);
}
await closeServiceAt(service);
console.log('done');
process.exit(0);
