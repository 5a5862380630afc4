import {
  buildChangeSummary,
  type ChangeDescription,
  type ChangeSource,
  type ChangeSummary,
} from '../../model/change-description.ts';
import type { Snapshot } from '../read/snapshot.ts';

const readChangeSummary = ({ changeDescription }: Snapshot): ChangeSummary | undefined =>
  changeDescription === undefined
    ? undefined
    : (JSON.parse(changeDescription) as { changeSummary?: ChangeSummary }).changeSummary;

/**
 * Adds a summary of the sources to a change if the change or an earlier one named a source, so that the summary stays
 * complete.
 */
export const withChangeSummary = (
  change: ChangeDescription,
  before: Snapshot,
  after: Snapshot,
  source: ChangeSource | undefined,
): ChangeDescription => {
  const previous = readChangeSummary(before);
  if (source === undefined && previous === undefined) return change;
  const origin = { changeSource: source ?? 'Manual', changedBy: after.updatedBy, changedAt: after.updatedAt } as const;
  const changeSummary = buildChangeSummary(change, origin, previous);
  return Object.keys(changeSummary).length > 0 ? { ...change, changeSummary } : change;
};
