import { notAllowedMessage } from '../../access/authorization.ts';
import type { HidingFacts } from '../../access/rights.ts';
import { CatalogError } from '../../errors.ts';
import type { Engine, Writer } from '../engine.ts';
import type { LabelNode, RefNode } from '../queries.ts';
import type { ColumnNode } from '../read/column-tree.ts';
import { checkPermissions } from '../read/facts.ts';
import { filterOwnNodes, type Snapshot } from '../read/snapshot.ts';

/**
 * Decides about changes that take away what hides a record or masks its values: a label, an owner or a domain that rules
 * ask for. The right to edit such members is not enough, because it could be used to show to others what is hidden.
 */

/** The classification whose labels mask sampled and measured values. */
const MASKING_PREFIX = 'PII.';

const EDIT_ALL = 'EditAll';

const isCovering = ({ labels }: HidingFacts, { tagFQN }: LabelNode): boolean =>
  tagFQN.startsWith(MASKING_PREFIX) || labels.has(tagFQN);

/** The labels of columns by the key of the stored column, whatever it is called now. */
const labelsByColumn = (
  columns: readonly ColumnNode[],
  into = new Map<string, readonly LabelNode[]>(),
): ReadonlyMap<string, readonly LabelNode[]> => {
  for (const { key, origin, labels, children } of columns) {
    into.set(origin ?? key, labels ?? []);
    labelsByColumn(children, into);
  }
  return into;
};

const isLabelLost = (
  hiding: HidingFacts,
  before: readonly LabelNode[] | null,
  after: readonly LabelNode[] | null,
): boolean => {
  const covering = (before ?? []).filter((label) => isCovering(hiding, label));
  if (covering.length === 0) return false;
  const kept = new Set((after ?? []).map(({ tagId }) => tagId));
  return covering.some(({ tagId }) => !kept.has(tagId));
};

/** Whether a column that stays loses a label. A column that goes takes its values along. */
const isColumnLabelLost = (hiding: HidingFacts, before: Snapshot, after: Snapshot): boolean => {
  const kept = labelsByColumn(Object.values(after.columns).flat());
  for (const [key, labels] of labelsByColumn(Object.values(before.columns).flat())) {
    const now = kept.get(key);
    if (now && isLabelLost(hiding, labels, now)) return true;
  }
  return false;
};

const isNodeLost = (before: readonly RefNode[], after: readonly RefNode[]): boolean => {
  const kept = new Set(after.map(({ id }) => id));
  return before.some(({ id }) => !kept.has(id));
};

const findUncovered = (hiding: HidingFacts, before: Snapshot, after: Snapshot): string | undefined => {
  if (isLabelLost(hiding, before.tags, after.tags) || isColumnLabelLost(hiding, before, after)) return 'tags';
  if (hiding.owners && isNodeLost(filterOwnNodes(before.owners), filterOwnNodes(after.owners))) return 'owners';
  if (hiding.domains && isNodeLost(filterOwnNodes(before.domains), filterOwnNodes(after.domains))) return 'domains';
  return undefined;
};

/** Throws forbidden for a caller who would uncover a record without the right to edit all of it. */
export const permitUncovering = async (
  engine: Engine,
  { principal }: Writer,
  before: Snapshot,
  after: Snapshot,
): Promise<void> => {
  if (principal.isAdmin) return;
  const uncovered = findUncovered(engine.authorizer.hidingFacts(before.kind.entityType), before, after);
  if (uncovered === undefined) return;
  const record = { entityId: before.id, entityType: before.kind.entityType };
  const [isPermitted] = await checkPermissions(engine, principal, [EDIT_ALL], [record]);
  if (isPermitted) return;
  throw new CatalogError('forbidden', notAllowedMessage(principal, [EDIT_ALL]), {
    hint: `Rules hide or mask by what the change takes away from ${uncovered}, so it needs ${EDIT_ALL}`,
  });
};
