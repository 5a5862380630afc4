import type { Engine } from '../catalog/engine.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../catalog/plan/step.ts';
import { bumpRevisions, markRecordsChanged } from '../catalog/queries.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { badRequest } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteRequest } from '../graph/group-commit.ts';
import { deleteUsageDays, updateUsageDays } from './queries.ts';

/** How often a record was used on a day: so often more, or so often in all. */
export type UsageReport = { readonly date: string; readonly count: number; readonly adds: boolean };

/** A record keeps its newest days; they are far more than any sum looks at. */
const RETAINED_DAYS = 366;

const dateTooOld = () => badRequest(`[date must not lie before the ${RETAINED_DAYS} days of usage that are kept]`);

const hasUsage = (engine: Engine, entityType: string): boolean =>
  engine.registry.byType.get(entityType)?.gated.includes('usageSummary') ?? false;

/** Every ancestor whose kind has a usage of its own shares in that of what lies below it. */
const ancestorsWithUsage = (engine: Engine, record: Snapshot): string[] =>
  record.ancestors.filter((ancestor) => hasUsage(engine, ancestor.entityType)).map((ancestor) => ancestor.id);

/**
 * No version tells of usage. The write claims no record for itself: the statement applies any number of reports on one
 * record, so that many who report at once share a transaction.
 */
const planUsage = (record: Snapshot, above: readonly string[], { date, count, adds }: UsageReport): WriteRequest => {
  const kept = encodeProperty(RETAINED_DAYS);
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

/** Counts the use of a record, and with it that of everything above it that is counted. */
export const recordUsage = (engine: Engine, record: Snapshot, usage: UsageReport): Promise<void> =>
  engine.commit(planUsage(record, ancestorsWithUsage(engine, record), usage));
