import type { Engine } from '../catalog/engine.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { writeFields } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { reevaluatePendingContracts } from '../contracts/validate.ts';
import { recordNotFound } from '../errors.ts';
import type { FacetStores } from '../lineage/openlineage/facets/facet-room.ts';
import { storeRunById } from '../pipelines/run-by-id.ts';
import { storeProfileReport } from '../profiler/ingest.ts';
import { findTestState, permitResults, storeTestResults } from '../quality/results.ts';

/**
 * Joins OpenLineage events with the rooms that keep profiles, test results and runs. Callers need the same operations
 * as for the requests of those rooms.
 */

const readPermitted = async (
  engine: Engine,
  principal: Parameters<FacetStores['storeProfile']>[0],
  { type, id, operations }: { readonly type: string; readonly id: string; readonly operations: readonly string[] },
): Promise<Snapshot> => {
  const kind = requireKind(engine.registry, type);
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  if (!record || record.deleted) throw recordNotFound(type, id);
  await authorizeRecord(engine, principal, operations, record);
  return record;
};

export const createFacetStores = (engine: Engine): FacetStores => ({
  storeProfile: (principal, id, profile) =>
    storeProfileReport(
      engine,
      () => readPermitted(engine, principal, { type: 'table', id, operations: ['EditDataProfile'] }),
      profile,
    ),
  storeTestRun: async (principal, testFqn, run) => {
    const row = await findTestState(engine, testFqn);
    await permitResults(engine, principal, row);
    await storeTestResults({ engine, principal }, row, [run]);
    if (row.isAwaited) await reevaluatePendingContracts({ engine, principal }, [row.id]);
  },
  storeRun: async (principal, id, message) => {
    const pipeline = await readPermitted(engine, principal, { type: 'pipeline', id, operations: ['EditAll'] });
    await storeRunById(engine, principal, pipeline, message);
  },
});
