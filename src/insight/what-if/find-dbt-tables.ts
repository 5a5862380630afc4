import { randomUUID } from 'node:crypto';
import type { Engine } from '../../catalog/engine.ts';
import { type RefNode, readReferences } from '../../catalog/queries.ts';
import type { DbtRelation } from '../../dbt/relations.ts';
import { badRequest, CatalogError, recordNotFound } from '../../errors.ts';
import { withPositions } from '../../graph/statement.ts';
import { type Endpoint, toEndpoint } from '../../lineage/endpoints.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import { chunk } from '../../model/chunk.ts';
import { fqnPrefixes, joinFqn } from '../../model/name.ts';
import { addAsset, nameKeyOf, type Overlay } from './overlay.ts';
import { listDatabaseServices } from './queries.ts';

/** Finds the tables that the relations of a dbt project are in the catalog, whatever the letter case of their names. */

/** The number of services among which that of a project is looked for. */
const MAX_SERVICES = 1000;
const NAMES_AT_ONCE = 3000;
/** The number of databases that may be looked for in all these services together. */
const MAX_PLACES = 100_000;

const tooManyPlaces = () => badRequest('service must be given: there are too many to look at');

/** The spellings of warehouses and of dbt. */
const spellingsOf = (name: string): readonly string[] => [...new Set([name, name.toLowerCase(), name.toUpperCase()])];

type Tools = { readonly overlay: Overlay; readonly engine: Engine };

/** Finds the records with some names that the caller sees, by `nameKeyOf`. */
const findVisible = async (
  { overlay, engine }: Tools,
  names: readonly { readonly entityType: string; readonly fqn: string }[],
): Promise<ReadonlyMap<string, RefNode>> => {
  const nodes: RefNode[] = [];
  for (const some of chunk(names, NAMES_AT_ONCE)) {
    const rows = await engine.graph.read(readReferences, { rows: withPositions(some) });
    for (const { node } of rows) if (node && !node.deleted && !overlay.removed.has(node.id)) nodes.push(node);
  }
  const sees = await readNodeVisibility(engine, overlay.principal, nodes);
  const seen = nodes.filter(({ id }) => sees(id));
  return new Map(seen.map((node) => [nameKeyOf(node.entityType, node.fullyQualifiedName), node]));
};

const belowService = (service: string, name: string): readonly string[] =>
  spellingsOf(name).map((spelling) => `${service}.${spelling}`);

/** Finds the services that have a database of the project. */
const findServices = async (tools: Tools, relations: readonly DbtRelation[]): Promise<readonly string[]> => {
  const { engine, overlay } = tools;
  const rows = await engine.graph.read(listDatabaseServices, { limit: MAX_SERVICES + 1 });
  if (rows.length > MAX_SERVICES) throw tooManyPlaces();
  const nodes = rows.map(({ node }) => node);
  const sees = await readNodeVisibility(engine, overlay.principal, nodes);
  const databases = [...new Set(relations.map(({ database }) => joinFqn(undefined, database)))];
  const visible = nodes.filter(({ id }) => sees(id));
  if (visible.length * databases.length > MAX_PLACES) throw tooManyPlaces();
  const names = visible.flatMap(({ fullyQualifiedName: service }) =>
    databases.flatMap((database) =>
      belowService(service, database).map((fqn) => ({ entityType: 'database', fqn, service })),
    ),
  );
  const found = await findVisible(tools, names);
  return [
    ...new Set(
      names.flatMap(({ entityType, fqn, service }) => (found.has(nameKeyOf(entityType, fqn)) ? [service] : [])),
    ),
  ];
};

const requireService = async (tools: Tools, relations: readonly DbtRelation[], given: string | undefined) => {
  if (given !== undefined) {
    const found = await findVisible(tools, [{ entityType: 'databaseService', fqn: given }]);
    if (found.size === 0) throw recordNotFound('databaseService', given);
    return given;
  }
  const [service, ...others] = await findServices(tools, relations);
  if (service === undefined) throw new CatalogError('not_found', 'no database service has a database of the project');
  if (others.length > 0) {
    const names = [service, ...others].slice(0, 5).join(', ');
    throw badRequest(`service must be given: several have databases of the project (${names})`);
  }
  return service;
};

export type DbtTables = {
  readonly service: string;
  /** The table of each relation, by the ID that dbt gives the relation. */
  readonly tables: ReadonlyMap<string, Endpoint>;
};

/** Adds the table of a relation that the catalog does not have, or that the caller does not see. */
const addTable = (
  { overlay, engine }: Tools,
  service: string,
  { name, fqn }: DbtRelation,
  placeOf: (fqn: string) => string | undefined,
): Endpoint => {
  const full = `${service}.${fqn}`;
  const known = overlay.addedNames.get(nameKeyOf('table', full));
  const id = known ?? randomUUID();
  const node: RefNode = {
    id,
    entityType: 'table',
    name,
    fullyQualifiedName: full,
    displayName: null,
    description: null,
    deleted: false,
  };
  if (known === undefined) addAsset(overlay, { node, parentId: placeOf(full) });
  return toEndpoint(engine, node);
};

/** Reads the schemas, databases and services that new tables would lie in. */
const readPlaces = async (tools: Tools, names: readonly string[]) => {
  const types = ['databaseService', 'database', 'databaseSchema'];
  const wanted = [...new Set(names.flatMap((fqn) => fqnPrefixes(fqn)))].flatMap((fqn) => {
    const entityType = types[fqnPrefixes(fqn).length];
    return entityType === undefined ? [] : [{ entityType, fqn }];
  });
  const found = await findVisible(tools, wanted);
  return (fqn: string): string | undefined =>
    fqnPrefixes(fqn)
      .flatMap((prefix, at) => found.get(nameKeyOf(types[at] ?? '', prefix))?.id ?? [])
      .at(-1);
};

/** Finds the tables of relations in the service that has them. Those that are new are added. */
export const findDbtTables = async (
  tools: Tools,
  relations: readonly DbtRelation[],
  given: string | undefined,
): Promise<DbtTables> => {
  const { engine } = tools;
  const service = await requireService(tools, relations, given);
  const names = relations.map((relation) => ({ relation, fqns: belowService(service, relation.fqn) }));
  const found = await findVisible(
    tools,
    names.flatMap(({ fqns }) => fqns.map((fqn) => ({ entityType: 'table', fqn }))),
  );
  const nodeOf = (fqns: readonly string[]) => fqns.flatMap((fqn) => found.get(nameKeyOf('table', fqn)) ?? [])[0];
  const missing = names.filter(({ fqns }) => !nodeOf(fqns)).map(({ relation }) => `${service}.${relation.fqn}`);
  const placeOf = await readPlaces(tools, missing);
  const tables = names.map(({ relation, fqns }) => {
    const node = nodeOf(fqns);
    const table = node ? toEndpoint(engine, node) : addTable(tools, service, relation, placeOf);
    return [relation.uniqueId, table] as const;
  });
  return { service, tables: new Map(tables) };
};
