import { attempt } from '../../attempt.ts';
import { type CatalogAnswer, textOf } from '../../catalog-client.ts';
import { GOVERNANCE_STEPS, STATES } from './collections.ts';
import { type ImportRoom, showProgress } from './import-room.ts';
import { readCollection } from './read-collection.ts';

/** Brings the states of records that a request to create them cannot say. */

const patchState = async (room: ImportRoom, type: string, path: string, record: CatalogAnswer): Promise<void> => {
  const { target, tally } = room;
  const { member, silent } = STATES[type] ?? { member: '', silent: '' };
  const [wanted, fqn] = [textOf(record[member]), textOf(record['fullyQualifiedName'])];
  if (wanted === '' || wanted === silent) return;
  const own = await target.find(`${path}/name/${encodeURIComponent(fqn)}`);
  if (own === undefined || own[member] === wanted) return;
  const patch = [{ op: 'add', path: `/${member}`, value: wanted }];
  await attempt(tally, `${type} ${fqn}`, () => target.send('PATCH', `${path}/${textOf(own['id'])}`, patch));
};

export const writeStates = async (room: ImportRoom): Promise<void> => {
  const { move, known } = room;
  if (move.isDryRun) return;
  const steps = GOVERNANCE_STEPS.filter(({ type, missingWithout }) => type in STATES && missingWithout === undefined);
  for (const { type, path } of steps) {
    let done = 0;
    for await (const page of readCollection(move.source, known, path, { pageSize: move.pageSize })) {
      for (const record of page.records) await patchState(room, type, path, record);
      done += page.records.length;
      showProgress(room, `states of ${type}`, done, page.total);
    }
  }
};
