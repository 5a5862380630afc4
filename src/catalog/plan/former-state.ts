import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteStatementRow } from '../../graph/group-commit.ts';
import type { Snapshot } from '../read/snapshot.ts';

/**
 * The state that a change leaves behind. Who made it and what it changed stand beside its text, so that a list of changes
 * need not read the whole text.
 */
export const formerStateRow = (before: Snapshot, formerJson: string): WriteStatementRow => ({
  entityId: before.id,
  state: {
    version: before.version,
    at: encodeProperty(before.updatedAt),
    by: before.updatedBy,
    changeJson: before.changeDescription ?? null,
    json: formerJson,
  },
});
