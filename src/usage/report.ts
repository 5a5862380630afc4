import type { Engine } from '../catalog/engine.ts';
import { gone, ORDER, step } from '../catalog/plan/step.ts';
import { markChanged, touchRecords } from '../catalog/queries.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { badRequest } from '../errors.ts';
import type { Write } from '../graph/commit.ts';
import { encodeProperty } from '../graph/property.ts';
import { forgetUsage, reportUsage } from './queries.ts';

/** How often a record was used on a day: so often more, or so often in all. */
export type Report = { readonly date: string; readonly count: number; readonly adds: boolean };

/** A record keeps its newest days; they are far more than any sum looks at. */
const KEPT_DAYS = 366;

const tooOld = () => badRequest(`[date must not lie before the ${KEPT_DAYS} days of usage that are kept]`);

const isCounted = (engine: Engine, entityType: string): boolean =>
  engine.registry.byType.get(entityType)?.gated.includes('usageSummary') ?? false;

/** Every ancestor whose kind has a usage of its own shares in that of what lies below it. */
const countedAbove = (engine: Engine, record: Snapshot): string[] =>
  record.ancestors.filter((ancestor) => isCounted(engine, ancestor.entityType)).map((ancestor) => ancestor.id);

/**
 * No version tells of usage. The write claims no record for itself: the statement applies any number of reports on one
 * record, so that many who report at once share a transaction.
 */
const planReport = (record: Snapshot, above: readonly string[], { date, count, adds }: Report): Write => {
  const kept = encodeProperty(KEPT_DAYS);
  const touched = [record.id, ...above];
  return {
    keys: [],
    steps: [
      step(touchRecords, ORDER.lock, [{ id: record.id, changes: {} }], gone(record.kind.entityType, record.id)),
      {
        ...step(
          reportUsage,
          ORDER.link,
          [{ id: record.id, date, count: encodeProperty(count), adds, above, kept }],
          tooOld,
        ),
        ...(adds ? { once: true } : {}),
      },
      step(
        forgetUsage,
        ORDER.label,
        touched.map((id) => ({ id, kept })),
      ),
      step(
        markChanged,
        ORDER.tell,
        touched.map((entityId) => ({ entityId })),
      ),
    ],
  };
};

/** Counts the use of a record, and with it that of everything above it that is counted. */
export const report = (engine: Engine, record: Snapshot, told: Report): Promise<void> =>
  engine.commit(planReport(record, countedAbove(engine, record), told));
