import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { type RefNode, readReferences } from '../../catalog/queries.ts';
import { requireKind } from '../../catalog/registry.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { withPositions } from '../../graph/statement.ts';
import { type Endpoint, toEndpoint } from '../../lineage/endpoints.ts';
import { readColumnPaths } from '../../lineage/ingest/edge-sql-parser.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import type { ColumnName, TableName } from '../../lineage/sql/sql-column.ts';
import { chunk } from '../../model/chunk.ts';
import { fqnPart } from '../../model/name.ts';

/** Finds the tables of the catalog that names in SQL mean. */

/** Where names without a schema or a database belong. */
export type NamePlace = { readonly service: string; readonly database?: string; readonly schema?: string };

/** A table of the catalog with its columns. */
export type CatalogTable = { readonly endpoint: Endpoint; readonly columns: readonly ColumnName[] };

/** The tables found so far; a name that means none maps to undefined. */
export type TableFinder = {
  /** Looks names up that have not been looked up before. */
  load(names: readonly TableName[]): Promise<void>;
  find(name: TableName): CatalogTable | undefined;
};

const BATCH_SIZE = 1000;
const CONCURRENT_READS = 100;
const FULL_LENGTH = 4;

/** Completes a name with the names above it. Undefined when one of them is not known. */
const completeName = ({ service, database, schema }: NamePlace, name: TableName): readonly string[] | undefined => {
  const above = [service, database, schema];
  const [first = ''] = name;
  if (name.length === FULL_LENGTH)
    return first.toLowerCase() === service.toLowerCase() ? [service, ...name.slice(1)] : undefined;
  if (name.length === 0 || name.length > FULL_LENGTH) return undefined;
  const missing = above.slice(0, FULL_LENGTH - name.length).flatMap((part) => part ?? []);
  return missing.length + name.length === FULL_LENGTH ? [...missing, ...name] : undefined;
};

const INVALID_PART = /::|["\p{Cc}\p{Cs}]/u;
const MAX_PART = 256;

/** The full names that a name may have: as it is written, in lower case and in upper case, in this order. */
const candidatesOf = (place: NamePlace, name: TableName): readonly string[] => {
  const spellings = [name, name.map((part) => part.toLowerCase()), name.map((part) => part.toUpperCase())];
  const full = spellings.flatMap((parts) => {
    if (parts.some((part) => part === '' || part.length > MAX_PART || INVALID_PART.test(part))) return [];
    const complete = completeName(place, parts);
    return complete ? [complete.map(fqnPart).join('.')] : [];
  });
  return [...new Set(full)];
};

const keyOf = (name: TableName): string => name.join('\u0001');

const TABLE = 'table';

/** Reads the tables with these full names that the caller may see. */
const readVisibleTables = async (
  engine: Engine,
  principal: Principal,
  fqns: readonly string[],
): Promise<ReadonlyMap<string, RefNode>> => {
  const found = new Map<string, RefNode>();
  for (const some of chunk(fqns, BATCH_SIZE)) {
    const rows = withPositions(some.map((fqn) => ({ entityType: TABLE, fqn })));
    const nodes = (await engine.graph.read(readReferences, { rows })).flatMap(({ node }) =>
      node && node.deleted !== true ? [node] : [],
    );
    const sees = await readNodeVisibility(engine, principal, nodes);
    for (const node of nodes) if (sees(node.id)) found.set(node.fullyQualifiedName, node);
  }
  return found;
};

/** Opens a finder. A table that the caller may not see is not found, as if it did not exist. */
export const openTableFinder = (engine: Engine, principal: Principal, place: NamePlace): TableFinder => {
  const kind = requireKind(engine.registry, TABLE);
  const known = new Map<string, CatalogTable | undefined>();
  const byId = new Map<string, CatalogTable>();
  const readTable = async (node: RefNode): Promise<void> => {
    if (byId.has(node.id)) return;
    const columns = await readColumnPaths(engine, { id: node.id, kind });
    byId.set(node.id, { endpoint: toEndpoint(engine, node), columns });
  };
  return {
    load: async (names) => {
      const fresh = new Map(names.flatMap((name) => (known.has(keyOf(name)) ? [] : [[keyOf(name), name] as const])));
      const candidates = new Map([...fresh].map(([key, name]) => [key, candidatesOf(place, name)]));
      const found = await readVisibleTables(engine, principal, [...new Set([...candidates.values()].flat())]);
      await mapConcurrently([...found.values()], CONCURRENT_READS, readTable);
      for (const [key, fqns] of candidates) {
        const node = fqns.flatMap((fqn) => found.get(fqn) ?? [])[0];
        known.set(key, node && byId.get(node.id));
      }
    },
    find: (name) => known.get(keyOf(name)),
  };
};
