import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { canSeeEverything } from '../../catalog/read/facts.ts';
import { createRedactor } from '../../catalog/read/redaction.ts';
import { areNamesVisible } from '../../catalog/read/visible-names.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import type { JsonObject } from '../../model/json.ts';
import { fqnPrefixes, parentFqn } from '../../model/name.ts';
import type { ChangeRecord } from './catalog-change.ts';

/**
 * Leaves out what a caller may not see: changes of hidden records and of the tests and contracts about them, edges with a
 * hidden end, and the coming and going of hidden owners, tags and domains. They are not counted either.
 */

/** Changes that consist of the value that came or went, so that nothing is left to tell when it is hidden. */
const VALUE_CHANGES: ReadonlySet<string> = new Set(['ownerAdded', 'ownerRemoved', 'tagAdded', 'tagRemoved', 'moved']);

type ShownValues = JsonObject & { readonly updatedBy?: string };

const valuesOf = ({ by, before, after }: ChangeRecord): ShownValues => ({
  ...(by === null ? {} : { updatedBy: by }),
  ...(before === null ? {} : { before }),
  ...(after === null ? {} : { after }),
});

const withValues = (row: ChangeRecord, { updatedBy, before = null, after = null }: ShownValues): ChangeRecord[] => {
  const isHidden = (row.before !== null && before === null) || (row.after !== null && after === null);
  const shown = { ...row, by: updatedBy ?? null, before, after };
  if (!isHidden || !VALUE_CHANGES.has(row.change)) return [shown];
  // A record moves away from a hidden group to one that the caller may see, or the other way round.
  return before === null && after === null ? [] : [shown];
};

const redactChanges = async (
  engine: Engine,
  principal: Principal,
  rows: readonly ChangeRecord[],
): Promise<readonly ChangeRecord[]> => {
  const redact = createRedactor(engine, principal);
  if (!redact) return rows;
  const values = await redact(rows.map(valuesOf));
  return rows.flatMap((row, at) => withValues(row, values[at] as ShownValues));
};

/** Of a test or a contract that is gone, its name tells which asset it was about. */
const wasAbout = ({ node }: ChangeRecord): string | undefined => {
  if (['dataContract', 'testSuite'].includes(node.entityType)) return parentFqn(node.fullyQualifiedName);
  return node.entityType === 'testCase' ? fqnPrefixes(node.fullyQualifiedName)[TABLE_PARTS - 1] : undefined;
};

/** The parts of the name of a table. */
const TABLE_PARTS = 4;

const isGone = ({ event }: ChangeRecord): boolean => typeof event === 'string';

/** Leaves out the tests and contracts that were deleted for good and were about assets that the caller may not see. */
const filterDeletions = async (
  engine: Engine,
  principal: Principal,
  rows: readonly ChangeRecord[],
): Promise<readonly ChangeRecord[]> => {
  const subjects = rows.filter(isGone).flatMap((row) => wasAbout(row) ?? []);
  const names = canSeeEverything(engine, principal) ? [] : [...new Set(subjects)];
  if (names.length === 0) return rows;
  const sees = await areNamesVisible(
    engine,
    principal,
    names.map((fqn) => ({ entityType: undefined, fqn })),
  );
  const hidden = new Set(names.filter((_, at) => !sees[at]));
  return rows.filter((row) => !isGone(row) || !hidden.has(wasAbout(row) ?? ''));
};

export const filterVisibleChanges = async (
  engine: Engine,
  principal: Principal,
  rows: readonly ChangeRecord[],
): Promise<readonly ChangeRecord[]> => {
  const shown = await filterDeletions(engine, principal, rows);
  const nodes = shown.flatMap(({ node, about, edge }) => [
    node,
    ...(about ? [about] : []),
    ...(edge ? [edge.from, edge.to] : []),
  ]);
  const sees = await readNodeVisibility(engine, principal, nodes);
  const visible = shown.filter(
    ({ node, about, edge }) =>
      sees(node.id) && (!about || sees(about.id)) && (!edge || (sees(edge.from.id) && sees(edge.to.id))),
  );
  return redactChanges(engine, principal, visible);
};
