import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { subjectColumns } from '../../contracts/subject.ts';
import { diffColumns } from '../../contracts/validation/column-changes.ts';
import { memberEntries, memberObject, memberText, refuseManifest } from '../../dbt/artifacts.ts';
import { type DbtEdge, readDbtEdges } from '../../dbt/dependencies.ts';
import { type DbtRelation, readRelations } from '../../dbt/relations.ts';
import { badRequest } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import type { Asserter } from '../../lineage/edge.ts';
import { isSameAsserter } from '../../lineage/edge.ts';
import { type Endpoint, findEndpointsByIds } from '../../lineage/endpoints.ts';
import { type ColumnPathReader, openEdgeSqlParser } from '../../lineage/ingest/edge-sql-parser.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import { listSourceEdgesInScope, MAX_SCOPE_EDGES } from '../../lineage/queries.ts';
import { chunk } from '../../model/chunk.ts';
import type { JsonObject } from '../../model/json.ts';
import { replaceColumns, requireColumnTree } from './change-columns.ts';
import { endEdgesOf, listEnteringEdges, stateEdge, withdrawFromEdge } from './change-edges.ts';
import type { ChangeTools } from './change-tools.ts';
import { type DbtTables, findDbtTables } from './find-dbt-tables.ts';
import { type Overlay, readOverlayEdge } from './overlay.ts';
import { createColumnPathReader } from './overlay-engine.ts';

/** Changes an overlay as the artifacts of a dbt project say that its tables are made. */

/** The number of tables and views of a project. */
const MAX_RELATIONS = 10_000;

/** Manifests of dbt before 1.6 do not tell the name of their project. */
const UNNAMED_PROJECT = 'project';

const DBT_SOURCE = 'DbtLineage';

export type DbtChange = {
  readonly manifest?: JsonObject;
  readonly catalog?: JsonObject;
  readonly service?: string;
};

type Project = {
  readonly asserter: Asserter;
  readonly relations: readonly DbtRelation[];
  readonly edges: readonly DbtEdge[];
  /** Whether the artifacts name all columns of a relation, and not only those that somebody described. */
  readonly namesAllColumns: (relation: DbtRelation) => boolean;
};

const readProject = ({ manifest = {}, catalog }: DbtChange): Project => {
  const refused = refuseManifest(manifest);
  if (refused !== undefined) throw badRequest(`manifest: ${refused}`);
  const artifacts = { manifest, catalog, runResults: undefined };
  const relations = readRelations(artifacts);
  if (relations.length > MAX_RELATIONS) throw badRequest(`manifest has more than ${MAX_RELATIONS} tables`);
  const known = memberObject(catalog ?? {}, 'nodes');
  const namesAllColumns = ({ uniqueId, node }: DbtRelation): boolean => {
    if (node === undefined) return false;
    const isEnforced = [node, memberObject(node, 'config')].some(
      (holder) => memberObject(holder, 'contract')['enforced'] === true,
    );
    return isEnforced || memberEntries(memberObject(known, uniqueId), 'columns').length > 0;
  };
  const sourceName = memberText(memberObject(manifest, 'metadata'), 'project_name') ?? UNNAMED_PROJECT;
  return {
    asserter: { source: DBT_SOURCE, sourceName },
    relations,
    edges: readDbtEdges(artifacts, relations),
    namesAllColumns,
  };
};

/** So many tables or edges are read at once; reads that arrive together share statements. */
const AT_ONCE = 64;

const UNKNOWN_TYPE = 'UNKNOWN';

/** What dbt does not tell of a column stays as the catalog has it. */
const toColumn = ({ name, type }: DbtRelation['columns'][number], live: JsonObject | undefined): JsonObject => {
  if (!live) return { name, ...type };
  const { constraint, children } = live;
  const kept = {
    ...(constraint === undefined ? {} : { constraint }),
    ...(children === undefined ? {} : { children }),
  };
  return type['dataType'] === UNKNOWN_TYPE ? live : { ...type, name: live['name'] ?? name, ...kept };
};

const changeColumns = async (
  { overlay, engine }: ChangeTools,
  table: Endpoint,
  relation: DbtRelation,
): Promise<void> => {
  const fold = requireColumnTree(table)[1].nameKey;
  const isNew = overlay.added.has(table.id);
  const record = isNew ? undefined : await engine.store.record(table.kind, { id: table.id }, NO_FIELDS);
  const before = record ? subjectColumns(record) : (overlay.columns.get(table.id)?.columns ?? []);
  const byName = new Map(before.map((column) => [fold(String(column['name'])), column]));
  const columns = relation.columns.map((column) => toColumn(column, byName.get(fold(column.name))));
  if (diffColumns(before, columns, fold).length === 0) return;
  await replaceColumns(overlay, table, before, columns);
};

/** The columns of new tables as far as dbt knows them, and those of others where it names all of them. */
const changeAllColumns = async (tools: ChangeTools, project: Project, { tables }: DbtTables): Promise<void> => {
  await mapConcurrently(project.relations, AT_ONCE, async (relation) => {
    const table = tables.get(relation.uniqueId);
    if (!table) return;
    const isNew = tools.overlay.added.has(table.id);
    if (isNew ? relation.columns.length > 0 : project.namesAllColumns(relation))
      await changeColumns(tools, table, relation);
  });
};

/** Whether the project has stated an edge with the same SQL between tables whose columns stay as they are. */
const isStatedAlready = async (
  overlay: Overlay,
  { asserter }: Project,
  ends: readonly [Endpoint, Endpoint],
  sql: string,
): Promise<boolean> => {
  if (ends.some(({ id }) => overlay.columns.has(id))) return false;
  const { after } = await readOverlayEdge(overlay, ...ends);
  const known = after?.assertions.find((one) => isSameAsserter(one, asserter));
  return known?.content.sqlQuery === sql;
};

/** States the edges of the project with the columns that its SQL shows, as an import does. */
const stateEdges = async (tools: ChangeTools, project: Project, { tables }: DbtTables): Promise<void> => {
  const { overlay, edges, engine, reader } = tools;
  const readPaths: ColumnPathReader = createColumnPathReader(overlay);
  const parse = openEdgeSqlParser(engine, { reader, readPaths });
  await mapConcurrently(project.edges, AT_ONCE, async ({ from, to, sql }) => {
    const [one, other] = [tables.get(from.uniqueId), tables.get(to.uniqueId)];
    if (!one || !other || one.id === other.id) return;
    if (sql !== undefined && (await isStatedAlready(overlay, project, [one, other], sql))) return;
    const { source, sourceName } = project.asserter;
    const details = {
      source,
      ...(sourceName === undefined ? {} : { sourceName }),
      ...(sql === undefined ? {} : { sqlQuery: sql }),
    };
    const stated = { from: one, to: other, pipelineId: undefined, description: undefined, details };
    const { found } = await parse(stated, undefined);
    // A manifest without compiled SQL says nothing of columns, so what the catalog knows of them stays.
    await stateEdge(overlay, edges, found, true);
  });
};

/** Withdraws what the project said of tables that it no longer reads. */
const withdrawFormerEdges = async (tools: ChangeTools, project: Project, { tables }: DbtTables): Promise<void> => {
  const { overlay } = tools;
  const sources = new Map<string, Set<string>>();
  for (const { from, to } of project.edges) {
    const [one, other] = [tables.get(from.uniqueId), tables.get(to.uniqueId)];
    if (one && other) sources.set(other.id, (sources.get(other.id) ?? new Set()).add(one.id));
  }
  const made = project.relations.flatMap(({ uniqueId, node }) => {
    const table = node === undefined ? undefined : tables.get(uniqueId);
    return table && !overlay.added.has(table.id) ? [table] : [];
  });
  for (const some of chunk(made, AT_ONCE)) {
    for (const { from, to } of await listEnteringEdges(overlay, some)) {
      if (sources.get(to.id)?.has(from.id)) continue;
      await withdrawFromEdge(overlay, from, to, (one) => isSameAsserter(one, project.asserter));
    }
  }
};

/** Finds the tables that the project has made so far and does not have any more, as far as the caller sees them. */
const findFormerTables = async (
  { overlay }: ChangeTools,
  { asserter }: Project,
  { service, tables }: DbtTables,
): Promise<readonly Endpoint[]> => {
  const { stored, principal } = overlay;
  const params = {
    entityTypes: ['table'],
    scope: service,
    below: `${service}.`,
    source: DBT_SOURCE,
    limit: MAX_SCOPE_EDGES + 1,
  };
  const rows = await stored.graph.read(listSourceEdgesInScope, params);
  if (rows.length > MAX_SCOPE_EDGES) throw badRequest(`${service} has more than ${MAX_SCOPE_EDGES} edges of dbt`);
  const present = new Set([...tables.values()].map(({ id }) => id));
  const ids = [...new Set(rows.map(({ to }) => to))].filter((id) => !present.has(id) && !overlay.removed.has(id));
  const ends = (await findEndpointsByIds(stored, ids)).filter(({ node }) => node.deleted !== true);
  const sees = await readNodeVisibility(
    stored,
    principal,
    ends.map(({ node }) => node),
  );
  const former: Endpoint[] = [];
  for (const some of chunk(
    ends.filter(({ id }) => sees(id)),
    AT_ONCE,
  )) {
    const entering = await listEnteringEdges(overlay, some);
    const made = new Set(
      entering
        .filter(({ before }) => before?.assertions.some((one) => isSameAsserter(one, asserter)))
        .map(({ to }) => to.id),
    );
    former.push(...some.filter(({ id }) => made.has(id)));
  }
  return former;
};

const removeTables = async (overlay: Overlay, tables: readonly Endpoint[]): Promise<void> => {
  if (overlay.keepsRemoved) return;
  for (const table of tables) {
    await endEdgesOf(overlay, table);
    overlay.removed.add(table.id);
  }
};

/** Applies the artifacts of a dbt project. */
export const applyDbt = async (tools: ChangeTools, change: DbtChange): Promise<void> => {
  const project = readProject(change);
  const found = await findDbtTables(tools, project.relations, change.service);
  const former = await findFormerTables(tools, project, found);
  await changeAllColumns(tools, project, found);
  await stateEdges(tools, project, found);
  await withdrawFormerEdges(tools, project, found);
  await removeTables(tools.overlay, former);
};
