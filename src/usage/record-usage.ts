import type { Engine } from '../catalog/engine.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../catalog/plan/step.ts';
import { bumpRevisions, markRecordsChanged } from '../catalog/queries.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { badRequest } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteRequest } from '../graph/group-commit.ts';
import { deleteUsageDays, updateUsageDays } from './queries.ts';

/**
 * A report of how often a record was used on a day. With `adds` the count is added, otherwise it replaces the total.
 */
export type UsageReport = { readonly date: string; readonly count: number; readonly adds: boolean };

/** The number of days kept per record, far more than any sum needs. */
export const RETAINED_USAGE_DAYS = 366;

const dateTooOld = () =>
  badRequest(`[date must be within the last ${RETAINED_USAGE_DAYS} days, for which usage is stored]`);

const hasUsage = (engine: Engine, entityType: string): boolean =>
  engine.registry.byType.get(entityType)?.gated.includes('usageSummary') ?? false;

/** The ancestors that have usage of their own. A record's usage counts for them too. */
const ancestorsWithUsage = (engine: Engine, record: Snapshot): string[] =>
  record.ancestors.filter((ancestor) => hasUsage(engine, ancestor.entityType)).map((ancestor) => ancestor.id);

/**
 * Plans the write of a usage report. Usage is not part of record versions. The write does not lock the record itself:
 * the statement applies any number of reports on one record, so that concurrent reports share a transaction.
 */
const planUsage = (record: Snapshot, above: readonly string[], { date, count, adds }: UsageReport): WriteRequest => {
  const kept = encodeProperty(RETAINED_USAGE_DAYS);
  const touched = [record.id, ...above];
  return {
    keys: [],
    steps: [
      createStep(
        bumpRevisions,
        STEP_ORDER.lock,
        [{ id: record.id, changes: {} }],
        notFoundFactory(record.kind.entityType, record.id),
      ),
      {
        ...createStep(
          updateUsageDays,
          STEP_ORDER.link,
          [{ id: record.id, date, count: encodeProperty(count), adds, above, kept }],
          dateTooOld,
        ),
        ...(adds ? { once: true } : {}),
      },
      createStep(
        deleteUsageDays,
        STEP_ORDER.label,
        touched.map((id) => ({ id, kept })),
      ),
      createStep(
        markRecordsChanged,
        STEP_ORDER.publish,
        touched.map((entityId) => ({ entityId })),
      ),
    ],
  };
};

/** Counts the usage of a record and of its ancestors that have usage. */
export const recordUsage = (engine: Engine, record: Snapshot, usage: UsageReport): Promise<void> =>
  engine.commit(planUsage(record, ancestorsWithUsage(engine, record), usage));
