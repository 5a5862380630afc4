import { createView } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef } from '../../catalog/read/render.ts';
import { AFTER_PARAMETER, integerParameter, limitParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { decodeCursor, encodeCursor } from '../../model/cursor.ts';
import { Integer, listOf, must, oneOf, Ref, shape, Text } from '../../model/values.ts';
import { readNodeVisibility } from '../node-visibility.ts';
import { DEFAULT_SERVICE } from './create-records.ts';
import { readDatasetHomes } from './dataset-homes.ts';
import { LIKELY_REASONS, listLikelyServices } from './likely-services.ts';
import type { NamespaceDeps } from './namespace-routes.ts';
import { listIslands } from './queries.ts';

/** The report of namespaces whose datasets joined nothing that the catalog had. */

const UnmatchedNamespace = shape('UnmatchedNamespace', {
  namespace: must(Text),
  tables: must(Integer),
  database: must(Ref),
  likely: must(listOf(shape('LikelyService', { service: must(Ref), reason: must(oneOf(LIKELY_REASONS)) }))),
});

const UnmatchedList = shape('UnmatchedNamespaceList', {
  data: must(listOf(UnmatchedNamespace)),
  paging: must(shape('UnmatchedPaging', { after: Text })),
});

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** Lists the namespaces that match no service, with the services that they probably mean. */
const listUnmatched = async ({ edges: { engine }, namespaces }: NamespaceDeps, call: Call): Promise<Answer> => {
  const limit = integerParameter(call.query, 'limit', DEFAULT_LIMIT, 1, MAX_LIMIT);
  const after = call.query.get('after');
  const [rows, homes] = await Promise.all([
    engine.graph.read(listIslands, {
      service: DEFAULT_SERVICE,
      after: after ? decodeCursor(after) : '',
      limit: limit + 1,
    }),
    readDatasetHomes(engine, namespaces),
  ]);
  const page = rows.slice(0, limit);
  const refs = [...page.map(({ ref }) => ref), ...homes.services.map(({ ref }) => ref)];
  const isVisible = await readNodeVisibility(engine, call.principal, refs);
  const services = homes.services.filter(({ ref }) => isVisible(ref.id));
  const view = createView(engine, call, NO_FIELDS);
  const data = page
    .filter(({ ref }) => isVisible(ref.id))
    .map(({ namespace, tables, example, ref }) => ({
      namespace,
      tables,
      database: renderRef(ref, view),
      likely: listLikelyServices({ ...homes, services }, { namespace, name: example ?? '' }).map(
        ({ service, reason }) => ({ service: renderRef(service.ref, view), reason }),
      ),
    }));
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { status: 200, json: { data, paging: last ? { after: encodeCursor(last.sortKey) } : {} } };
};

/** The route of the report. */
export const unmatchedRoutes = (deps: NamespaceDeps): Route[] => [
  {
    method: 'GET',
    path: '/v1/lineage/openlineage/unmatched',
    summary: 'List the OpenLineage namespaces that match no service, with the likely ones',
    tag: 'Lineage',
    access: { operation: 'ViewBasic', resource: 'lineage' },
    query: [limitParameter('namespaces', 1, MAX_LIMIT, DEFAULT_LIMIT), AFTER_PARAMETER],
    responses: { 200: UnmatchedList },
    handle: (call) => listUnmatched(deps, call),
  },
];
