import { waitFor } from './patience.ts';
import { type Reply, type Service, uniqueName } from './service.ts';

/** Writes records continuously from several clients and records each write. */

/** One write as its caller saw it: when it was sent and when it was acknowledged. */
export type WriteAttempt = {
  readonly sentMs: number;
  readonly ackedMs: number;
  readonly status: number;
  /** The name of the created table. */
  readonly makes?: string;
  readonly removes?: string;
  /** The table is renamed or deleted by a later write. */
  readonly isPassing: boolean;
};

type Note = Pick<WriteAttempt, 'makes' | 'removes' | 'isPassing'>;

/**
 * Writers that go on until they are stopped, each doing one thing after the other: tables are created, changed, joined,
 * renamed and deleted for good.
 */
export const startWriters = async ({ admin }: Service, count = 4) => {
  const root = uniqueName('live');
  await admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Postgres' });
  await admin.post('/v1/databases', { name: 'db', service: root });
  await admin.post('/v1/databaseSchemas', { name: 'public', database: `${root}.db` });
  const operations: WriteAttempt[] = [];
  let isStopped = false;

  const noted = async (note: Note, work: () => Promise<Reply>): Promise<Reply> => {
    const sentMs = performance.now();
    const reply = await work();
    operations.push({ ...note, sentMs, ackedMs: performance.now(), status: reply.status });
    return reply;
  };

  const create = (name: string, isPassing: boolean) =>
    noted({ makes: name, isPassing }, () =>
      admin.post('/v1/tables', {
        name,
        databaseSchema: `${root}.db.public`,
        columns: ['a', 'b', 'c'].map((column) => ({ name: column, dataType: 'INT' })),
      }),
    );

  const patch = (id: string, note: Note, path: string, value: string) =>
    noted(note, () =>
      admin.patch(`/v1/tables/${id}`, [{ op: 'add', path, value }], { 'content-type': 'application/json-patch+json' }),
    );

  const join = (from: string, to: string) =>
    noted({ isPassing: true }, () =>
      admin.put('/v1/lineage', {
        edge: { fromEntity: { id: from, type: 'table' }, toEntity: { id: to, type: 'table' } },
      }),
    );

  const write = async (writer: number): Promise<void> => {
    for (let round = 0; !isStopped; round += 1) {
      const name = `live_${writer}_${String(round).padStart(4, '0')}`;
      const kept = await create(name, false);
      const passing = await create(`${name}_x`, true);
      await patch(kept.json.id, { isPassing: true }, '/description', `round ${round}`);
      await join(kept.json.id, passing.json.id);
      await patch(passing.json.id, { isPassing: true }, '/name', `${name}_y`);
      if (round % 2 === 0) {
        await noted({ removes: `${name}_y`, isPassing: true }, () =>
          admin.delete(`/v1/tables/${passing.json.id}?hardDelete=true`),
        );
      }
    }
  };

  const writers = Promise.all(Array.from({ length: count }, (_, writer) => write(writer)));
  return {
    /** Resolves when so many more tables have been made that stay. */
    made: async (more: number): Promise<void> => {
      const lasting = () => operations.filter(({ makes, isPassing }) => makes !== undefined && !isPassing).length;
      const wanted = lasting() + more;
      await waitFor(lasting, (count) => count >= wanted, `${wanted} tables are made`);
    },
    stop: async (): Promise<readonly WriteAttempt[]> => {
      isStopped = true;
      await writers;
      return operations;
    },
  };
};
