import { type ChangeDescription, type ChangeSource, type ChangeSummary, changeSummaryOf } from '../../model/change.ts';
import type { Snapshot } from '../read/snapshot.ts';

const summaryOf = ({ changeDescription }: Snapshot): ChangeSummary | undefined =>
  changeDescription === undefined
    ? undefined
    : (JSON.parse(changeDescription) as { changeSummary?: ChangeSummary }).changeSummary;

/** Once somebody said where a change came from, every further change says it too, so that the summary stays whole. */
export const withSummary = (
  change: ChangeDescription,
  before: Snapshot,
  after: Snapshot,
  source: ChangeSource | undefined,
): ChangeDescription => {
  const previous = summaryOf(before);
  if (source === undefined && previous === undefined) return change;
  const origin = { changeSource: source ?? 'Manual', changedBy: after.updatedBy, changedAt: after.updatedAt } as const;
  const changeSummary = changeSummaryOf(change, origin, previous);
  return Object.keys(changeSummary).length > 0 ? { ...change, changeSummary } : change;
};
