import { notAllowedMessage } from '../../access/authorization.ts';
import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { checkPermissions } from '../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { requireKind } from '../../catalog/registry.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import type { ObservedStatement } from '../../lineage/edge.ts';
import type { Endpoint } from '../../lineage/endpoints.ts';
import { failedRow, permitRows, upsertRows } from '../../lineage/ingest/edge-rows.ts';
import { MAX_SQL_LENGTH } from '../../lineage/sql/limits.ts';
import type { EdgeStore } from '../../lineage/write/edge-store.ts';
import type { ResolvedEdge } from '../../lineage/write/put-edge.ts';
import { chunk } from '../../model/chunk.ts';
import { daysBefore } from '../../model/schemas/usage/usage-summary.ts';
import { RETAINED_USAGE_DAYS, recordUsage } from '../../usage/record-usage.ts';
import { hideValues } from './fingerprint.ts';
import type { FoundEdge, FoundUsage, LogFindings } from './understand-log.ts';

/** Writes what a log shows: its edges and how often tables were asked. Writing the same again changes nothing. */

/** What the caller may not change. */
export type RefusedChange = { readonly entity: Endpoint; readonly status: number; readonly message: string };

export type Applied = { readonly edges: number; readonly refused: readonly RefusedChange[] };

const EDGES_AT_ONCE = 1000;
const CONCURRENT_RECORDS = 50;

const observedOf = ({ latest, firstAt, lastAt }: FoundEdge): ObservedStatement => ({
  fingerprint: latest.group.fingerprint,
  ...(firstAt === undefined ? {} : { firstAt }),
  ...(lastAt === undefined ? {} : { lastAt }),
});

/** The definition of a view is kept as it is. The values in a statement of a log may name people. */
const textOf = ({ dialect }: LogFindings, { source, latest }: FoundEdge): string => {
  const { sql } = latest.group;
  return source === 'ViewLineage' ? sql : hideValues(sql, dialect).slice(0, MAX_SQL_LENGTH);
};

const toResolvedEdge = (found: LogFindings, edge: FoundEdge): ResolvedEdge => ({
  from: edge.from,
  to: edge.to,
  pipelineId: undefined,
  description: undefined,
  details: {
    sqlQuery: textOf(found, edge),
    columnsLineage: edge.columns,
    source: edge.source,
    observed: observedOf(edge),
  },
  isDerived: true,
});

const applyEdges = async (
  edges: EdgeStore,
  principal: Principal,
  found: LogFindings,
  check: () => void,
): Promise<Applied> => {
  const refused: RefusedChange[] = [];
  let applied = 0;
  for (const some of chunk(found.edges, EDGES_AT_ONCE)) {
    check();
    const rows = await permitRows(
      edges,
      principal,
      some.map((edge) => ({ value: toResolvedEdge(found, edge) })),
    );
    const outcomes = await upsertRows(edges, principal, rows, { strictColumns: false });
    for (const [at, outcome] of outcomes.entries()) {
      const edge = some[at];
      if ('value' in outcome) applied += 1;
      else if (edge) refused.push({ entity: edge.to, ...pickRefusal(failedRow(null, outcome.failure)) });
    }
  }
  return { edges: applied, refused };
};

const pickRefusal = ({ status, message }: Pick<RefusedChange, 'status' | 'message'>) => ({ status, message });

/** Raises the usage of a day to what the log shows. It is never lowered, so the same log can be sent again. */
const raiseUsage = async (engine: Engine, record: Snapshot, { days }: FoundUsage, today: string): Promise<void> => {
  const oldest = daysBefore(today, RETAINED_USAGE_DAYS - 1);
  const told = [...days].filter(([date]) => date >= oldest && date <= today);
  if (told.length === 0) return;
  const dates = told.map(([date]) => date).sort();
  const known = await engine.store.usage({ id: record.id, from: dates[0] ?? today, to: dates.at(-1) ?? today });
  for (const [date, count] of told) {
    const before = known.find((day) => day.date === date)?.count ?? 0;
    if (count > before) await recordUsage(engine, record, { date, count, adds: false });
  }
};

const EDIT_USAGE: readonly string[] = ['EditUsage'];

const applyUsage = async (
  engine: Engine,
  principal: Principal,
  usage: readonly FoundUsage[],
  check: () => void,
): Promise<readonly RefusedChange[]> => {
  const today = new Date(engine.clock()).toISOString().slice(0, 10);
  const records = usage.map(({ entity }) => ({ entityId: entity.id, entityType: entity.kind.entityType }));
  const allowed = await checkPermissions(engine, principal, EDIT_USAGE, records);
  const open = usage.filter((_, at) => allowed[at]);
  const kind = requireKind(engine.registry, 'table');
  const ids = open.map(({ entity }) => entity.id);
  const found = new Map((await engine.store.records(kind, ids, NO_FIELDS)).map((record) => [record.id, record]));
  await mapConcurrently(open, CONCURRENT_RECORDS, async (used) => {
    check();
    const record = found.get(used.entity.id);
    if (record) await raiseUsage(engine, record, used, today);
  });
  return usage
    .filter((_, at) => !allowed[at])
    .map(({ entity }) => ({ entity, status: 403, message: notAllowedMessage(principal, EDIT_USAGE) }));
};

/** Writes the edges and the usage that a log shows, where the caller may. */
export const applyFindings = async (
  edges: EdgeStore,
  principal: Principal,
  found: LogFindings,
  check: () => void,
): Promise<Applied> => {
  const written = await applyEdges(edges, principal, found, check);
  const refused = await applyUsage(edges.engine, principal, found.usage, check);
  return { edges: written.edges, refused: [...written.refused, ...refused] };
};
