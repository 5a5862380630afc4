import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { readVisibleContracts } from '../../lineage/read/record-contracts.ts';
import { readVisibleTests } from '../../lineage/read/record-tests.ts';
import type { OutcomeSource } from '../changes/outcome-changes.ts';
import { CONCLUSIVE_STATUSES } from '../changes/outcome-changes.ts';
import { listFailingSince } from './queries.ts';
import type { Failure } from './rank-suspects.ts';

/** Reads which tests and contracts of some assets fail, as far as the caller may see them. */

/** A test or a contract that fails, with the column that a test is about. */
type FailingPart = {
  readonly node: RefNode;
  readonly assetId: string;
  readonly source: OutcomeSource;
  readonly columnName: string | null;
};

const FAILING: Readonly<Record<OutcomeSource, readonly string[]>> = {
  tests: CONCLUSIVE_STATUSES.tests.filter((status) => status !== 'Success'),
  contracts: CONCLUSIVE_STATUSES.contracts.filter((status) => status !== 'Success'),
};

const findFailingParts = async (
  engine: Engine,
  principal: Principal,
  ids: readonly string[],
): Promise<readonly FailingPart[]> => {
  const [tests, contracts] = await Promise.all([
    readVisibleTests(engine, principal, ids, 'Failed'),
    readVisibleContracts(engine, principal, ids),
  ]);
  return ids.flatMap((assetId): FailingPart[] => {
    const contract = contracts.get(assetId);
    const failing = contract && FAILING.contracts.includes(contract.status ?? '') ? [contract] : [];
    return [
      ...(tests.get(assetId) ?? []).map((node) => ({
        node,
        assetId,
        source: 'tests' as const,
        columnName: node.columnName,
      })),
      ...failing.map((node) => ({ node, assetId, source: 'contracts' as const, columnName: null })),
    ];
  });
};

const readFailingSince = async (
  { graph }: Engine,
  parts: readonly FailingPart[],
  source: OutcomeSource,
): Promise<readonly (readonly [string, number])[]> => {
  const ids = parts.filter((part) => part.source === source).map(({ node }) => node.id);
  const rows = ids.length === 0 ? [] : await graph.read(listFailingSince[source], { ids, statuses: FAILING[source] });
  return rows.map(({ id, since }) => [id, since]);
};

/** Whether a failing part counts; tests of other columns say nothing of the one that is asked about. */
export type CountsAsFailure = (part: { readonly assetId: string; readonly columnName: string | null }) => boolean;

export type FoundFailures = { readonly failures: readonly Failure[]; readonly cut: string | undefined };

/** Reads the failures of some assets in their order, up to a limit, each with the time since which it fails. */
export const readFailures = async (
  engine: Engine,
  principal: Principal,
  ids: readonly string[],
  { limit, counts }: { readonly limit: number; readonly counts: CountsAsFailure },
): Promise<FoundFailures> => {
  const all = (await findFailingParts(engine, principal, ids)).filter(counts);
  const parts = all.slice(0, limit);
  const since = new Map(
    (
      await Promise.all([readFailingSince(engine, parts, 'tests'), readFailingSince(engine, parts, 'contracts')])
    ).flat(),
  );
  const failures = parts.flatMap(({ node, assetId, source }): Failure[] => {
    const at = since.get(node.id);
    return at === undefined ? [] : [{ node, assetId, kind: source === 'tests' ? 'test' : 'contract', since: at }];
  });
  return { failures, cut: parts.length < all.length ? 'failures' : undefined };
};
