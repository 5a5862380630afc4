import type { Engine } from '../../catalog/engine.ts';
import type { ColumnNode } from '../../catalog/read/column-tree.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { requireKind } from '../../catalog/registry.ts';
import { badRequest } from '../../errors.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { fqnPart, joinFqn, splitFqn } from '../../model/name.ts';
import type { ColumnMappingInput } from '../column-mappings.ts';
import type { Endpoint } from '../endpoints.ts';
import type { SqlMapping } from '../sql/column-lineage.ts';
import { DIALECT_NAMES, type Dialect, dialectOfService, findDialect } from '../sql/dialect.ts';
import { openSqlReader, type SqlReader } from '../sql/reader.ts';
import type { ColumnName, TableName, Unresolved } from '../sql/sql-column.ts';
import type { ResolvedEdge } from '../write/put-edge.ts';

/** An edge with the mappings derived from its SQL, and the parts of the SQL that could not be resolved. */
export type ParsedEdge = { readonly found: ResolvedEdge; readonly unresolved: readonly Unresolved[] };

/** Completes an edge with mappings derived from its SQL. The dialect defaults to that of the target's service. */
export type EdgeSqlParser = (found: ResolvedEdge, dialect: Dialect | undefined) => Promise<ParsedEdge>;

/** Returns the dialect named in a request. Throws bad_request for an unknown name. */
export const parseDialect = (name: string | null): Dialect | undefined => {
  if (!name) return undefined;
  const known = findDialect(name);
  if (!known) throw badRequest(`[dialect must be one of ${DIALECT_NAMES.join(', ')}]`);
  return known;
};

/** Whether an edge has a SQL query but no column mappings. */
export const needsSqlParsing = ({ details }: ResolvedEdge): boolean =>
  details.sqlQuery !== undefined && (details.columnsLineage ?? []).length === 0;

const pathsBelow = (nodes: readonly ColumnNode[], above: ColumnName = []): ColumnName[] =>
  nodes.flatMap(({ values, children }) => {
    const path = [...above, String(values['name'])];
    return [path, ...pathsBelow(children, path)];
  });

export const readColumnPaths = async (
  engine: Engine,
  { id, kind }: Pick<Endpoint, 'id' | 'kind'>,
): Promise<readonly ColumnName[]> => {
  const record = await engine.store.record(kind, { id }, NO_FIELDS);
  if (!record) return [];
  return kind.columnTrees.flatMap(([section, { hasColumnLineage }]) =>
    hasColumnLineage ? pathsBelow(record.columns[section] ?? []) : [],
  );
};

/** Returns the root kind above a kind, which is the kind of its service. */
const rootKindOf = (engine: Engine, kind: Kind): Kind => {
  const [parent] = kind.parents;
  return parent ? rootKindOf(engine, requireKind(engine.registry, parent.kind)) : kind;
};

/** Reads the SQL dialect of a record's service. */
export const readServiceDialect = async (
  engine: Engine,
  { kind, fullyQualifiedName }: Pick<Endpoint, 'kind' | 'fullyQualifiedName'>,
): Promise<Dialect> => {
  const [name = ''] = splitFqn(fullyQualifiedName);
  const service = await engine.store.reference(rootKindOf(engine, kind), fqnPart(name));
  return dialectOfService(service?.serviceType ?? undefined);
};

const isSameIgnoringCase = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Whether a table name in SQL may mean the record: the record's full name must end with it. */
const couldMean = ({ fullyQualifiedName }: Endpoint, table: TableName): boolean => {
  const parts = splitFqn(fullyQualifiedName);
  return (
    table.length <= parts.length &&
    table.every((part, at) => isSameIgnoringCase(part, parts.at(at - table.length) ?? ''))
  );
};

/**
 * Returns the full names that a table name may stand for, completed with the leading parts of the record's own full
 * name.
 */
const candidateTableNames = ({ fullyQualifiedName }: Endpoint, table: TableName): readonly string[] => {
  const above = splitFqn(fullyQualifiedName);
  if (above.length !== 4 || table.length >= above.length) return [];
  const spellings = [table, table.map((part) => part.toLowerCase()), table.map((part) => part.toUpperCase())];
  return spellings.map((names) =>
    [...above.slice(0, above.length - table.length), ...names].reduce((fqn, part) => joinFqn(fqn, part), ''),
  );
};

/** Returns the paths of the columns of a record. */
export type ColumnPathReader = (
  engine: Engine,
  record: Pick<Endpoint, 'id' | 'kind'>,
) => Promise<readonly ColumnName[]>;

const readTableColumns = async (
  engine: Engine,
  sites: readonly Endpoint[],
  table: TableName,
  readPaths: ColumnPathReader,
) => {
  const kind = requireKind(engine.registry, 'table');
  const names = [...new Set(sites.flatMap((site) => candidateTableNames(site, table)))];
  const found = await Promise.all(names.map((fqn) => engine.store.reference(kind, fqn)));
  const node = found.find((one) => one && !one.deleted);
  return node ? readPaths(engine, { id: node.id, kind }) : undefined;
};

const keyOf = (table: TableName): string => table.join('\u0001');

/** Returns the endpoint that a table name in the SQL means, or undefined when it means neither or may mean both. */
const matchEndpoint = ({ from, to }: ResolvedEdge, table: TableName): Endpoint | undefined => {
  const matching = [from, to].filter((site) => couldMean(site, table));
  return matching.length === 1 ? matching[0] : undefined;
};

const columnFqn = (site: Endpoint, path: ColumnName): string =>
  [site.fullyQualifiedName, ...path.map(fqnPart)].join('.');

const toMappingInputs = (
  found: ResolvedEdge,
  { target, fromColumns, toColumn, function: made }: SqlMapping,
): ColumnMappingInput[] => {
  const { from, to } = found;
  if (target !== undefined && matchEndpoint(found, target) !== to) return [];
  const own = fromColumns.filter(({ table }) => matchEndpoint(found, table) === from);
  if (own.length === 0) return [];
  return [
    {
      fromColumns: own.map(({ column }) => columnFqn(from, column)),
      toColumn: columnFqn(to, [toColumn]),
      ...(made === undefined ? {} : { function: made }),
    },
  ];
};

type EdgeSqlParts = { readonly reader?: SqlReader; readonly readPaths?: ColumnPathReader };

/** Opens the SQL parser for edges; its thread runs only while there is SQL to parse. */
export const openEdgeSqlParser = (
  engine: Engine,
  { reader = openSqlReader({ timeoutMs: engine.limits.sqlTextMs }), readPaths = readColumnPaths }: EdgeSqlParts = {},
): EdgeSqlParser => {
  return async (found, requestedDialect) => {
    const { sqlQuery } = found.details;
    if (sqlQuery === undefined || !needsSqlParsing(found)) return { found, unresolved: [] };
    const { from, to } = found;
    const dialect = requestedDialect ?? (await readServiceDialect(engine, to));
    const tables = await reader.tablesOf(sqlQuery, dialect);
    const [own, wanted] = await Promise.all([readPaths(engine, from), readPaths(engine, to)]);
    const known = new Map<string, readonly ColumnName[]>();
    await Promise.all(
      tables.map(async (table) => {
        const end = matchEndpoint(found, table);
        const columns = end
          ? end === to
            ? wanted
            : own
          : await readTableColumns(engine, [to, from], table, readPaths);
        if (columns) known.set(keyOf(table), columns);
      }),
    );
    const { mappings, unresolved } = await reader.columnLineageOf(
      sqlQuery,
      dialect,
      (table) => known.get(keyOf(table)),
      wanted.flatMap((path) => (path.length === 1 ? path : [])),
    );
    const columnsLineage = mappings.flatMap((mapping) => toMappingInputs(found, mapping));
    return { found: { ...found, details: { ...found.details, columnsLineage }, isDerived: true }, unresolved };
  };
};
