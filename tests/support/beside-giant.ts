import * as assert from 'uvu/assert';
import { ok } from './expect.ts';
import { runProgram } from './program.ts';
import { type Service, uniqueName } from './service.ts';

/** Small writes beside one of a very wide table below the same schema. */

const WIDE = 20_000;

export type WideWrite = 'create' | 'patch';

type BesideGiant = {
  /** How long each small write took that was answered before the wide table was written. */
  readonly waitsMs: readonly number[];
  /** How many of them were sent after the first staged columns could be seen. */
  readonly sentWhileStaged: number;
};

/** Makes a schema below services of its own, and answers its name. */
export const plantSchema = async ({ admin }: Service): Promise<string> => {
  const name = uniqueName('giants');
  ok(await admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  return `${name}.db.public`;
};

const isStaging = async ({ graph }: Service): Promise<boolean> => {
  const [row] = await graph.query('RETURN EXISTS { (:Staged) } AS staged', {});
  return row?.['staged'] === true;
};

/** Writes while a process of its own writes the wide table, so that the store is shared and not the event loop. */
export const writeBesideGiant = async (service: Service, schema: string, how: WideWrite): Promise<BesideGiant> => {
  const giants = runProgram('hold-giants.ts', schema, String(WIDE), '1', how);
  await giants.line('ready');
  let isOver = false;
  const made = giants.line('made').finally(() => {
    isOver = true;
  });
  giants.process.stdin?.write('go\n');
  const waitsMs: number[] = [];
  let sentWhileStaged = 0;
  const write = async () => {
    while (!isOver) {
      const isStaged = await isStaging(service);
      const columns = [{ name: 'column_0', dataType: 'INT' }];
      const started = performance.now();
      ok(await service.admin.post('/v1/tables', { name: uniqueName('small'), databaseSchema: schema, columns }), 201);
      if (isOver) return;
      waitsMs.push(performance.now() - started);
      if (isStaged) sentWhileStaged += 1;
    }
  };
  await Promise.all([write(), write()]);
  assert.match(await made, how === 'create' ? /^201 / : /^200 /);
  await giants.exited;
  return { waitsMs, sentWhileStaged };
};
