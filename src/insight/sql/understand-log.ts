import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { requireKind } from '../../catalog/registry.ts';
import type { Endpoint } from '../../lineage/endpoints.ts';
import { parseDialect } from '../../lineage/ingest/edge-sql-parser.ts';
import { type Dialect, dialectOfService } from '../../lineage/sql/dialect.ts';
import { statementOpening } from '../../lineage/sql/limits.ts';
import type { SqlReader } from '../../lineage/sql/reader.ts';
import { joinFqn, normaliseFqn } from '../../model/name.ts';
import { requireScope } from '../scope.ts';
import { openTableFinder } from './find-tables.ts';
import { hideValues } from './fingerprint.ts';
import { createLineageDraft, type DraftEdge, type DraftMapping, type Unclear } from './lineage-draft.ts';
import type { SqlLogRequest } from './read-request.ts';
import { type ReadStatement, readGroupNames, readSessions } from './sessions.ts';
import { groupStatements } from './statement-groups.ts';

/** Finds out what a script or a query log shows: edges, usage, and what cannot be understood. */

/** An edge with what is known of the statements that show it. */
export type FoundEdge = Pick<DraftEdge, 'from' | 'to'> & {
  readonly source: 'QueryLineage' | 'ViewLineage';
  readonly columns: readonly DraftMapping[];
  /** How often statements ran that show it. */
  statements: number;
  /** The statement that ran last. */
  latest: ReadStatement;
  firstAt: number | undefined;
  lastAt: number | undefined;
  /** Whether nothing in one of its statements is unclear. */
  isClear: boolean;
};

export type FoundUsage = { readonly entity: Endpoint; count: number; readonly days: Map<string, number> };

export type FoundUnclear = Unclear & { count: number; readonly example: string };

export type LogFindings = {
  readonly dialect: Dialect;
  readonly statements: number;
  readonly distinct: number;
  readonly understood: number;
  readonly edges: readonly FoundEdge[];
  readonly usage: readonly FoundUsage[];
  readonly unresolved: readonly FoundUnclear[];
};

/** How much is read of a log, and when to stop. */
export type LogBounds = {
  readonly statements: number;
  readonly check: () => void;
  readonly hasTime: () => boolean;
};

/** Finds the service that a log is about, and the dialect of its statements. Throws not_found for an unknown place. */
export const findLogPlace = async (
  engine: Engine,
  principal: Principal,
  { service, database, schema, dialect }: Omit<SqlLogRequest, 'statements'>,
) => {
  const own = parseDialect(dialect ?? null);
  const fqn = normaliseFqn(service);
  await requireScope(engine, principal, fqn);
  const above = database === undefined ? fqn : joinFqn(fqn, database);
  if (database !== undefined) await requireScope(engine, principal, above);
  if (database !== undefined && schema !== undefined) await requireScope(engine, principal, joinFqn(above, schema));
  const found = await engine.store.reference(requireKind(engine.registry, 'databaseService'), fqn);
  return { fqn, dialect: own ?? dialectOfService(found?.serviceType ?? undefined) };
};

const runsLater = (one: ReadStatement, other: ReadStatement): boolean => (one.lastAt ?? -1) > (other.lastAt ?? -1);

const earliest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

const latest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);

const startEdge = ({ from, to, isView, columns }: DraftEdge, read: ReadStatement): FoundEdge => ({
  from,
  to,
  source: isView ? 'ViewLineage' : 'QueryLineage',
  columns: [...columns.values()],
  statements: 0,
  latest: read,
  firstAt: read.firstAt,
  lastAt: read.lastAt,
  isClear: false,
});

const countEdges = (reads: readonly ReadStatement[]): readonly FoundEdge[] => {
  const found = new Map<DraftEdge, FoundEdge>();
  for (const read of reads) {
    for (const draft of read.shown.edges) {
      const edge = found.get(draft) ?? startEdge(draft, read);
      found.set(draft, edge);
      edge.statements += read.count;
      edge.firstAt = earliest(edge.firstAt, read.firstAt);
      edge.lastAt = latest(edge.lastAt, read.lastAt);
      edge.isClear ||= read.shown.unclear.length === 0;
      if (runsLater(read, edge.latest)) edge.latest = read;
    }
  }
  return [...found.values()];
};

const countUsage = (reads: readonly ReadStatement[]): readonly FoundUsage[] => {
  const found = new Map<string, FoundUsage>();
  for (const { shown, count, days } of reads) {
    for (const entity of shown.asked) {
      const usage = found.get(entity.id) ?? { entity, count: 0, days: new Map<string, number>() };
      found.set(entity.id, usage);
      usage.count += count;
      for (const [day, times] of days) usage.days.set(day, (usage.days.get(day) ?? 0) + times);
    }
  }
  return [...found.values()];
};

const countUnclear = (reads: readonly ReadStatement[], dialect: Dialect): readonly FoundUnclear[] => {
  const found = new Map<string, FoundUnclear>();
  for (const { shown, count, group } of reads) {
    for (const one of shown.unclear) {
      const key = `${one.reason}\u0001${one.name ?? ''}`;
      const known = found.get(key);
      if (known) known.count += count;
      else found.set(key, { ...one, count, example: statementOpening(hideValues(group.sql.slice(0, 1000), dialect)) });
    }
  }
  return [...found.values()];
};

const textOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const namesOfEdge = ({ from, to, source }: FoundEdge): string =>
  `${from.fullyQualifiedName}\u0001${to.fullyQualifiedName}\u0001${source}`;

const sumCounts = (rows: readonly { readonly count: number }[]): number =>
  rows.reduce((sum, { count }) => sum + count, 0);

/** Reads a log. Names that the caller may not see are unknown, as if nothing had them. */
export const understandLog = async (
  engine: Engine,
  principal: Principal,
  reader: SqlReader,
  request: SqlLogRequest,
  bounds: LogBounds,
): Promise<LogFindings> => {
  const { dialect } = await findLogPlace(engine, principal, request);
  const { groups, executions } = await groupStatements(request.statements, dialect, bounds.statements, bounds.check);
  const finder = openTableFinder(engine, principal, request);
  const deps = { reader, dialect, finder, draft: createLineageDraft(finder), ...bounds };
  await readGroupNames(deps, groups);
  const today = new Date(engine.clock()).toISOString().slice(0, 10);
  const reads = await readSessions(deps, executions, today);
  const byNames = (a: FoundEdge, b: FoundEdge) => textOrder(namesOfEdge(a), namesOfEdge(b));
  return {
    dialect,
    statements: sumCounts(executions),
    distinct: groups.length,
    understood: sumCounts(reads.filter(({ shown }) => shown.unclear.length === 0)),
    edges: [...countEdges(reads)].sort((a, b) => b.statements - a.statements || byNames(a, b)),
    usage: [...countUsage(reads)].sort(
      (a, b) => b.count - a.count || textOrder(a.entity.fullyQualifiedName, b.entity.fullyQualifiedName),
    ),
    unresolved: [...countUnclear(reads, dialect)].sort(
      (a, b) => b.count - a.count || textOrder(a.reason, b.reason) || textOrder(a.name ?? '', b.name ?? ''),
    ),
  };
};
