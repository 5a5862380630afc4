import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { View } from '../../catalog/read/render.ts';
import { requireKind } from '../../catalog/registry.ts';
import {
  type BulkFailure,
  type BulkSuccess,
  failIfAllUnavailable,
  isFailed,
  isUnavailable,
  toBulkFailure,
} from '../../catalog/write/bulk.ts';
import { reviseRecord } from '../../catalog/write/update.ts';
import { recordNotFound } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { isColumnKey } from '../../lineage/column-mappings.ts';
import { groupBy } from '../../model/group-by.ts';
import { editOperationsOfLabel } from '../../model/kind/required-operations.ts';
import { recordIdOf } from '../columns/column-graph.ts';
import { propagatedLabel, relabelDocument } from './relabel-document.ts';

/** Writes labels by lineage: each record whose columns change is written once, as by a patch of its labels. */

/** What is to become of the label of a column; without a reason, it goes. */
export type ColumnRelabel = {
  readonly key: string;
  readonly fullyQualifiedName: string;
  readonly tagFqn: string;
  readonly reason: string | undefined;
};

export type LabelWriter = {
  readonly principal: Principal;
  readonly viewFor: (fields: ReadonlySet<string>) => View;
  readonly dryRun: boolean;
};

/** So many records are written at once; those that arrive together share transactions. */
const RECORDS_AT_ONCE = 32;

const relabelRecord = async (
  engine: Engine,
  { principal, viewFor, dryRun }: LabelWriter,
  id: string,
  changes: readonly ColumnRelabel[],
): Promise<void> => {
  const found = await engine.store.referenceById(id);
  if (!found) throw recordNotFound('record', id);
  const kind = requireKind(engine.registry, found.entityType);
  const labels = changes.map(({ key, fullyQualifiedName, tagFqn, reason }) => ({
    column: isColumnKey(key) ? fullyQualifiedName : undefined,
    tagFqn,
    reason,
  }));
  await reviseRecord(
    engine,
    { kind, principal },
    {
      address: { id },
      revise: (document) => relabelDocument(kind, document, labels),
      touched: [],
      isJsonPatch: false,
      dryRun: dryRun ? 'whole' : undefined,
      source: 'Propagated',
      operations: [...new Set(changes.flatMap(({ tagFqn }) => editOperationsOfLabel(propagatedLabel(tagFqn, ''))))],
      precondition: () => {},
      viewFor,
    },
  );
};

/** What others have changed already must be told, so a record that cannot be written now is a failed row. */
const toFailedRow = (request: string, failure: unknown): BulkFailure =>
  isUnavailable(failure)
    ? { request, status: failure.status, message: failure.message }
    : toBulkFailure(request, failure);

/** Changes labels, those of each record independently. A dry run reports what would be refused. */
export const writeLabels = async (
  engine: Engine,
  writer: LabelWriter,
  changes: readonly ColumnRelabel[],
): Promise<{ readonly passed: readonly BulkSuccess[]; readonly failed: readonly BulkFailure[] }> => {
  const byRecord = [...groupBy(changes, ({ key }) => recordIdOf(key))];
  const outcomes = await mapConcurrently(byRecord, RECORDS_AT_ONCE, async ([id, some]) => {
    try {
      await relabelRecord(engine, writer, id, some);
      return some.map((one): BulkSuccess => ({ request: one.fullyQualifiedName, status: 200 }));
    } catch (failure) {
      return some.map(({ fullyQualifiedName }) => toFailedRow(fullyQualifiedName, failure));
    }
  });
  const all = failIfAllUnavailable(outcomes.flat());
  return { passed: all.filter((one) => !isFailed(one)), failed: all.filter(isFailed) };
};
