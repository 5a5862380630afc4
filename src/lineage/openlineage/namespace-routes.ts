import type { Engine } from '../../catalog/engine.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../../catalog/plan/step.ts';
import { createView, readRequiredJson } from '../../catalog/read/answer.ts';
import { authorizeRecord } from '../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef } from '../../catalog/read/render.ts';
import { requireKind } from '../../catalog/registry.ts';
import { parseRecordPointer } from '../../catalog/resolve/record-pointers.ts';
import { resolvePointer } from '../../catalog/resolve/references.ts';
import { badRequest, notFound, recordNotFound } from '../../errors.ts';
import { textParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { listOf, must, Ref, ShortText, shape, Text } from '../../model/values.ts';
import { readNodeVisibility } from '../node-visibility.ts';
import { listServiceTypes, type NamespaceMap } from './dataset-homes.ts';
import { deleteNamespaces, listNamespaces, updateNamespaces } from './queries.ts';

/** Routes that say which record a namespace of OpenLineage stands for. */

const PATH = '/v1/lineage/openlineage/namespaces';

/** The maximum number of assignments: all of them are read for each event. */
const MAX_ASSIGNED = 10_000;

/** What a namespace may stand for besides services: the levels of a database. */
const LEVELS: readonly string[] = ['database', 'databaseSchema'];

const NamespaceBody = shape('OpenLineageNamespace', { namespace: must(ShortText), entity: must(Ref) });

const NamespaceEntry = shape('OpenLineageNamespaceEntry', {
  namespace: must(Text),
  entity: Ref,
  /** The name in the setting, whether or not there is such a record. */
  setting: Text,
});

const NamespaceList = shape('OpenLineageNamespaceList', { data: must(listOf(NamespaceEntry)) });

export type NamespaceDeps = { readonly edges: { readonly engine: Engine }; readonly namespaces: NamespaceMap };

/** The assigned namespaces whose records the caller may see. */
const listVisible = async (engine: Engine, call: Call) => {
  const assigned = await engine.graph.read(listNamespaces, {});
  const refs = assigned.map(({ ref }) => ref);
  const isVisible = await readNodeVisibility(engine, call.principal, refs);
  return assigned.filter(({ ref }) => isVisible(ref.id));
};

const listAssigned = async ({ edges: { engine }, namespaces }: NamespaceDeps, call: Call): Promise<Answer> => {
  const assigned = await listVisible(engine, call);
  const view = createView(engine, call, NO_FIELDS);
  const names = new Set(assigned.map(({ namespace }) => namespace));
  const data: JsonObject[] = [
    ...assigned.map(({ namespace, ref }) => ({ namespace, entity: renderRef(ref, view) })),
    ...[...namespaces].flatMap(([namespace, setting]) => (names.has(namespace) ? [] : [{ namespace, setting }])),
  ];
  return { status: 200, json: { data } };
};

/** The types of records that a namespace may stand for. */
const assignableTypes = (engine: Engine): readonly string[] => [...listServiceTypes(engine), ...LEVELS];

/** Whoever may edit a record decides which namespaces mean it. */
const requireEditor = async (engine: Engine, call: Call, type: string, id: string): Promise<void> => {
  const record = await engine.store.record(requireKind(engine.registry, type), { id }, NO_FIELDS);
  if (!record) throw recordNotFound(type, id);
  await authorizeRecord(engine, call.principal, ['EditAll'], record);
};

const assignNamespace = async ({ edges: { engine } }: NamespaceDeps, call: Call): Promise<Answer> => {
  const { namespace, entity } = validate(NamespaceBody, dropNulls((await readRequiredJson(call)) as Json)) as {
    readonly namespace: string;
    readonly entity: JsonObject;
  };
  const types = assignableTypes(engine);
  const pointer = parseRecordPointer(entity);
  if (!types.includes(pointer.type ?? '')) throw badRequest(`[entity.type must be one of ${types.join(', ')}]`);
  const node = await resolvePointer(engine, pointer, types);
  await requireEditor(engine, call, node.entityType, node.id);
  const assigned = await engine.graph.read(listNamespaces, {});
  if (assigned.length >= MAX_ASSIGNED && !assigned.some((one) => one.namespace === namespace))
    throw badRequest(`At most ${MAX_ASSIGNED} namespaces can be assigned`);
  const row = { id: node.id, name: namespace };
  const missing = notFoundFactory(node.entityType, node.id);
  await engine.commit({ keys: [namespace], steps: [createStep(updateNamespaces, STEP_ORDER.link, [row], missing)] });
  return { status: 200, json: { namespace, entity: renderRef(node, createView(engine, call, NO_FIELDS)) } };
};

const removeNamespace = async ({ edges: { engine } }: NamespaceDeps, call: Call): Promise<Answer> => {
  const namespace = call.query.get('namespace') ?? '';
  const known = (await listVisible(engine, call)).find((one) => one.namespace === namespace);
  if (!known) throw notFound(`The namespace ${namespace.slice(0, 200)} is assigned to no record`);
  await requireEditor(engine, call, known.ref.entityType, known.ref.id);
  await engine.commit({
    keys: [namespace],
    steps: [createStep(deleteNamespaces, STEP_ORDER.unlink, [{ name: namespace }])],
  });
  return { status: 200, json: { namespace, entity: renderRef(known.ref, createView(engine, call, NO_FIELDS)) } };
};

/** Routes for the namespaces that were assigned by hand. */
export const namespaceRoutes = (deps: NamespaceDeps): Route[] => {
  const editing = {
    tag: 'Lineage',
    access: {
      operation: 'EditAll',
      resource: 'lineage',
      also: 'It is asked of the record, not of lineage.',
      anyOf: assignableTypes(deps.edges.engine).map((resource) => ({ operation: 'EditAll', resource })),
    },
  } as const;
  return [
    {
      method: 'GET',
      path: PATH,
      summary: 'List the OpenLineage namespaces that stand for records',
      tag: 'Lineage',
      access: { operation: 'ViewBasic', resource: 'lineage' },
      responses: { 200: NamespaceList },
      handle: (call) => listAssigned(deps, call),
    },
    {
      ...editing,
      method: 'PUT',
      path: PATH,
      summary: 'Assign an OpenLineage namespace to a service, database or schema',
      body: { schema: NamespaceBody, mediaTypes: ['application/json'] },
      responses: { 200: NamespaceEntry },
      handle: (call) => assignNamespace(deps, call),
    },
    {
      ...editing,
      method: 'DELETE',
      path: PATH,
      summary: 'Remove the assignment of an OpenLineage namespace',
      query: [textParameter('namespace', 'The namespace')],
      responses: { 200: NamespaceEntry },
      handle: (call) => removeNamespace(deps, call),
    },
  ];
};
