import type { Engine } from '../../catalog/engine.ts';
import { takePage } from '../../http/computed-page.ts';
import { flagParameter, momentParameter, textParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { GRAPH_ROOT_PARAMETERS } from '../../lineage/read/graph/graph-parameters.ts';
import { CatalogChanges } from '../../model/schemas/insight/changes.ts';
import { answerPage, INSIGHT_PAGE_PARAMETERS, insightList, SCOPE_PARAMETER } from '../insight-parameters.ts';
import { CHANGE_ORDERS, type ChangeRecord, changeKey } from './catalog-change.ts';
import {
  type ChangeFilter,
  findChangedScope,
  readChangeFilter,
  readChangeOrder,
  readChangeWindow,
} from './changes-request.ts';
import { readChanges } from './read-changes.ts';
import { CHANGE_CELLS, renderChanges, summarizeChanges } from './render-changes.ts';
import { filterVisibleChanges } from './visible-changes.ts';

const isWanted =
  ({ kinds, breaking }: ChangeFilter) =>
  (row: ChangeRecord): boolean =>
    (kinds.length === 0 || kinds.includes(row.kind)) && (breaking === undefined || row.breaking === breaking);

const handleChanges =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const window = readChangeWindow(call, engine.clock());
    const filter = readChangeFilter(call);
    const order = readChangeOrder(call);
    const scope = await findChangedScope(engine, call.principal, call);
    const { rows: found, cut } = await readChanges(engine, scope, window);
    const all = await filterVisibleChanges(engine, call.principal, found);
    const rows = all.filter(isWanted(filter)).sort(CHANGE_ORDERS[order]);
    const page = takePage(call, { rows, cut }, changeKey);
    const data = await renderChanges(engine, call, page.rows);
    return answerPage(
      call,
      { ...page, rows: data },
      { columns: CHANGE_CELLS, render: () => ({ data, paging: page.paging, summary: summarizeChanges(all) }) },
    );
  };

/** The route that lists what changed. */
export const changeRoutes = (engine: Engine): Route[] => [
  {
    ...insightList,
    method: 'GET',
    path: '/v1/changes',
    summary: 'List what changed in a part of the catalog',
    query: [
      SCOPE_PARAMETER,
      ...GRAPH_ROOT_PARAMETERS,
      momentParameter('from', 'Beginning of the time to look at; seven days before its end by default'),
      momentParameter('to', 'End of the time to look at; now by default'),
      textParameter('kinds', 'Comma-separated kinds of change to list; all by default'),
      flagParameter('breaking', 'Whether to list only changes that break something, or only others; both by default'),
      {
        name: 'sort',
        description: 'Order: breaking changes first, or just the newest first',
        schema: { type: 'string', enum: ['severity', 'time'], default: 'severity' },
      },
      ...INSIGHT_PAGE_PARAMETERS,
    ],
    responses: { 200: CatalogChanges },
    handle: handleChanges(engine),
  },
];
