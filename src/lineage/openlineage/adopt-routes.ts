import { deleteRecord } from '../../catalog/cascade/delete-and-restore.ts';
import { createView, readRequiredJson } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import { requireKind } from '../../catalog/registry.ts';
import { notFound } from '../../errors.ts';
import { AFTER_PARAMETER, integerParameter, limitParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { decodeCursor, encodeCursor } from '../../model/cursor.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { Flag, Integer, listOf, must, oneOf, Ref, ShortText, shape, Text } from '../../model/values.ts';
import { failedRow } from '../ingest/edge-rows.ts';
import { captureOutcome, type EdgeRowOutcome } from '../ingest/row-outcome.ts';
import { readNodeVisibility } from '../node-visibility.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import { type Adoption, adoptTable } from './adopt-table.ts';
import { islandFqn } from './create-records.ts';
import { type NamespaceMap, readDatasetHomes } from './dataset-homes.ts';
import { MATCH_REASONS } from './dataset-meaning.ts';
import { listIslandTables } from './queries.ts';
import { eventNeeds, locateDatasets } from './resolve-names.ts';

/** The route that merges tables of a namespace that belonged to no service into the assets that they turned out to be. */

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

const AdoptBody = shape('OpenLineageAdoption', { namespace: must(ShortText), dryRun: Flag });

const AdoptedTable = shape('OpenLineageAdoptedTable', {
  table: must(Ref),
  into: Ref,
  /** The full name of the asset that is created for it. */
  creates: Text,
  by: oneOf(MATCH_REASONS),
  moved: Integer,
  merged: Integer,
  past: Integer,
  unknownColumns: listOf(Text),
  status: must(Integer),
  message: Text,
});

const AdoptResult = shape('OpenLineageAdoptionResult', {
  namespace: must(Text),
  dryRun: must(Flag),
  data: must(listOf(AdoptedTable)),
  /** The database of the namespace, deleted because it has no table left. */
  deleted: Ref,
  paging: must(shape('OpenLineageAdoptionPaging', { after: Text })),
});

const renderOutcome = (view: View, outcome: EdgeRowOutcome<Adoption>): JsonObject => {
  if ('failure' in outcome) {
    const { status, message } = failedRow('', outcome.failure);
    return { status, message };
  }
  const { into, ...move } = outcome.value;
  return { ...(into ? { into: renderRef(into.node, view) } : {}), ...move, status: 200 };
};

type AdoptDeps = { readonly edges: EdgeStore; readonly namespaces: NamespaceMap };

type Island = { readonly namespace: string; readonly fqn: string; readonly dryRun: boolean };

/** Deletes the database of a namespace when none of its tables is left and the caller may. */
const deleteEmpty = async ({ edges: { engine } }: AdoptDeps, call: Call, { fqn }: Island) => {
  const left = await engine.graph.read(listIslandTables, { island: fqn, after: '', limit: 1 });
  const kind = requireKind(engine.registry, 'database');
  const database = left.length > 0 ? undefined : await engine.store.reference(kind, fqn);
  if (!database || database.deleted) return undefined;
  const writer = { kind, principal: call.principal };
  const outcome = await captureOutcome(() =>
    deleteRecord(engine, writer, { id: database.id }, { hardDelete: false, recursive: true }),
  );
  return 'value' in outcome ? database : undefined;
};

const adoptPage = async (deps: AdoptDeps, call: Call, island: Island) => {
  const { edges, namespaces } = deps;
  const { engine } = edges;
  const { namespace, fqn, dryRun } = island;
  const limit = integerParameter(call.query, 'limit', DEFAULT_LIMIT, 1, MAX_LIMIT);
  const after = call.query.get('after');
  const from = after ? decodeCursor(after) : '';
  const rows = await engine.graph.read(listIslandTables, { island: fqn, after: from, limit: limit + 1 });
  const page = rows.slice(0, limit).map(({ ref }) => ref);
  const isVisible = await readNodeVisibility(engine, call.principal, page);
  const tables = page.filter(({ id }) => isVisible(id));
  if (tables.length === 0 && from === '') throw notFound(`The namespace ${namespace} has no tables of its own`);
  const homes = await readDatasetHomes(engine, namespaces);
  const located = await locateDatasets(
    engine,
    homes,
    tables.map(({ name }) => ({ namespace, name })),
  );
  const room = {
    edges,
    principal: call.principal,
    created: { engine, principal: call.principal, byKey: new Map() },
    dryRun,
  };
  const view = createView(engine, call, NO_FIELDS);
  const data: JsonObject[] = [];
  // One after another: tables of one namespace feed each other, and each move waits for the edges of the one before.
  for (const [at, ref] of tables.entries()) {
    const where = located[at];
    if (!where) continue;
    const outcome = await captureOutcome(() => adoptTable(room, ref, where));
    data.push({ table: renderRef(ref, view), ...renderOutcome(view, outcome) });
  }
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { data, paging: last ? { after: encodeCursor(last.sortKey) } : {} };
};

const adoptNamespace = async (deps: AdoptDeps, call: Call): Promise<Answer> => {
  const body = validate(AdoptBody, dropNulls((await readRequiredJson(call)) as Json)) as JsonObject;
  const namespace = body['namespace'] as string;
  const island: Island = { namespace, fqn: islandFqn(namespace), dryRun: body['dryRun'] === true };
  const { data, paging } = await adoptPage(deps, call, island);
  const deleted = island.dryRun || 'after' in paging ? undefined : await deleteEmpty(deps, call, island);
  const view = createView(deps.edges.engine, call, NO_FIELDS);
  const json = {
    namespace,
    dryRun: island.dryRun,
    data,
    ...(deleted ? { deleted: renderRef(deleted, view) } : {}),
    paging,
  };
  return { status: 200, json };
};

/** The route of adoption. */
export const adoptRoutes = (deps: AdoptDeps): Route[] => [
  {
    method: 'POST',
    path: '/v1/lineage/openlineage/adopt',
    summary: 'Merge the tables of a formerly unknown OpenLineage namespace into the assets that they are',
    tag: 'Lineage',
    access: {
      operation: 'EditLineage',
      resource: 'lineage',
      also: 'It is needed on both endpoints of each edge, and Delete on the tables that are merged; assets that do not exist yet also need Create.',
      anyOf: eventNeeds(deps.edges.engine.registry),
    },
    query: [limitParameter('tables', 1, MAX_LIMIT, DEFAULT_LIMIT), AFTER_PARAMETER],
    body: { schema: AdoptBody, mediaTypes: ['application/json'] },
    responses: { 200: AdoptResult },
    handle: (call) => adoptNamespace(deps, call),
  },
];
