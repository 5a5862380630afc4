import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import { subjectColumns } from '../../contracts/subject.ts';
import { findBrokenClauses } from '../../contracts/validation/broken-clauses.ts';
import { type ColumnChange, diffColumns } from '../../contracts/validation/column-changes.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { type ChangeCheck, type ChangeCheckCaller, checkColumnChanges } from '../../impact/check.ts';
import { columnFoldOf } from '../../impact/proposal.ts';
import type { Endpoint } from '../../lineage/endpoints.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareByFqn } from '../../model/name.ts';
import type { Overlay, ProposedContract } from './overlay.ts';
import { rowsAt, uniteChecks } from './unite-checks.ts';

/** Judges what the changes of columns break: each asset as the contract check does, and all answers are put together. */

/** So many checks run at once, each of several statements. */
const CHECKS_AT_ONCE = 4;

type ChangedAsset = { readonly asset: Endpoint; readonly changes: readonly ColumnChange[] };

/** The assets whose columns the changes replace or remove, in the order of their names. */
export const listChangedAssets = async (overlay: Overlay, endpoints: readonly Endpoint[]): Promise<ChangedAsset[]> => {
  const { columns, removed, stored } = overlay;
  const changed = await mapConcurrently(endpoints, CHECKS_AT_ONCE, async (asset): Promise<ChangedAsset[]> => {
    const own = columns.get(asset.id);
    if (!own && !removed.has(asset.id)) return [];
    const record = await stored.store.record(asset.kind, { id: asset.id }, NO_FIELDS);
    if (!record) return [];
    const after = removed.has(asset.id) ? [] : (own?.columns ?? []);
    const changes = diffColumns(subjectColumns(record), after, columnFoldOf(record));
    return changes.length > 0 ? [{ asset, changes }] : [];
  });
  return changed.flat().sort((a, b) => compareByFqn(a.asset, b.asset));
};

const contractPaths = (columns: readonly JsonObject[]): readonly string[] =>
  diffColumns([], columns).map(({ column }) => column);

/** Finds what a proposed contract promises and its own asset does not have. */
const judgeProposed = async (
  { columns, stored }: Overlay,
  { node, content, asset }: ProposedContract,
  view: View,
): Promise<readonly JsonObject[]> => {
  const record = await stored.store.record(asset.kind, { id: asset.id }, NO_FIELDS);
  const live = columns.get(asset.id)?.columns ?? (record ? subjectColumns(record) : []);
  const known = new Set(contractPaths(live).map((path) => path.toLowerCase()));
  const promised = contractPaths(rowsAt(content, 'schema'));
  const lacking = promised
    .filter((path) => !known.has(path.toLowerCase()))
    .map((column): ColumnChange => ({ column, change: 'dropped' }));
  return findBrokenClauses({ ...content, semantics: [] }, lacking, []).map(({ clause }) => ({
    contract: renderRef(node, view),
    entity: renderRef(asset.node, view),
    depth: 0,
    clause,
    reason: `the asset has no column ${clause.replace(/^schema\./, '')}`,
  }));
};

/** Checks what the changes break, among them the promises of proposed contracts. */
export const judgeContracts = async (
  check: ChangeCheck,
  caller: ChangeCheckCaller,
  overlay: Overlay,
  changed: readonly ChangedAsset[],
) => {
  const { view } = caller;
  const found = await mapConcurrently(changed, CHECKS_AT_ONCE, async ({ asset, changes }) => {
    const { json, truncated } = await checkColumnChanges(check, caller, asset, changes);
    const entity = renderRef(asset.node, view);
    return { json: { ...json, changes: rowsAt(json, 'changes').map((one) => ({ ...one, entity })) }, truncated };
  });
  const proposed = await mapConcurrently([...overlay.contracts.values()], CHECKS_AT_ONCE, (one) =>
    judgeProposed(overlay, one, view),
  );
  const checks = found.map(({ json }) => json);
  const breaks = [...checks.flatMap((json) => rowsAt(json, 'breaks')), ...proposed.flat()];
  const { json, isCut } = uniteChecks(checks, breaks, check.budget.nodes);
  const cut = found.find(({ truncated }) => truncated !== undefined)?.truncated;
  return { json, truncated: cut ?? (isCut ? ('nodes' as const) : undefined) };
};
