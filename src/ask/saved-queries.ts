import { notAllowedMessage } from '../access/authorization.ts';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { badRequest, CatalogError, notFound } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import {
  countSavedQueries,
  createSavedQuery,
  deleteSavedQuery,
  findSavedQuery,
  listSavedQueries,
  type SavedQueryNode,
  updateSavedQuery,
} from './queries.ts';
import type { QueryRunner } from './run-query.ts';

/** Keeps queries by name. Everybody may read and run them, with their own rights; their authors may change them. */

const MAX_SAVED_QUERIES = 1000;

export type SavedQueryBody = {
  readonly name: string;
  readonly description?: string;
  readonly query: string;
  readonly parameters?: JsonObject;
  readonly asMetric?: boolean;
};

/** What a saved query says; its authors are shown apart, because they may be hidden. */
export const renderSavedQuery = ({ parametersJson, ...node }: SavedQueryNode): JsonObject => ({
  name: node.name,
  ...(node.description === undefined ? {} : { description: node.description }),
  query: node.query,
  parameters: JSON.parse(parametersJson) as JsonObject,
  asMetric: node.asMetric,
  updatedAt: node.updatedAt,
});

const missingQuery = (name: string) => notFound(`There is no saved query ${name}`);

const refuseChange = (principal: Principal) =>
  new CatalogError('forbidden', notAllowedMessage(principal, ['EditAll']), {
    hint: 'Its author and administrators may change a saved query',
  });

/** The values of a metric are seen by whoever reads the metrics, so that only an administrator decides what they tell. */
const permitMetric = (principal: Principal, { asMetric }: SavedQueryBody): void => {
  if (asMetric === true && !principal.isAdmin)
    throw new CatalogError('forbidden', notAllowedMessage(principal, ['EditAll']), {
      hint: 'Administrators may make a query a metric',
    });
};

const valuesOf = ({ engine, principal }: SavedQueryContext, body: SavedQueryBody) => ({
  description: body.description ?? null,
  query: body.query,
  parametersJson: JSON.stringify(body.parameters ?? {}),
  asMetric: body.asMetric === true,
  updatedAt: engine.clock(),
  updatedBy: principal.name,
});

export type SavedQueryContext = {
  readonly engine: Engine;
  readonly runner: Pick<QueryRunner, 'check'>;
  readonly principal: Principal;
};

const checkBody = ({ runner, principal }: SavedQueryContext, body: SavedQueryBody): void => {
  permitMetric(principal, body);
  const given = body.parameters ?? {};
  const used = runner.check(body.query, given);
  const unused = Object.keys(given).find((name) => !used.has(name));
  if (unused !== undefined) throw badRequest(`[parameters: the query has no parameter ${unused.slice(0, 100)}]`);
};

export const requireSavedQuery = async ({ engine }: Pick<SavedQueryContext, 'engine'>, name: string) => {
  const [found] = await engine.graph.read(findSavedQuery, { name });
  if (!found) throw missingQuery(name);
  return found.node;
};

export const createQuery = async (context: SavedQueryContext, body: SavedQueryBody): Promise<SavedQueryNode> => {
  checkBody(context, body);
  const { engine, principal } = context;
  const values = { ...valuesOf(context, body), createdBy: principal.name };
  const [row] = await engine.graph.write((one) =>
    one.run(createSavedQuery, { name: body.name, values, most: MAX_SAVED_QUERIES }),
  );
  if (!row?.isNew) throw new CatalogError('already_exists', `There is a saved query ${body.name} already`);
  if (!row.fits) throw badRequest(`[there are ${MAX_SAVED_QUERIES} saved queries, which is the most there may be]`);
  return requireSavedQuery(context, body.name);
};

const changeQuery = async (
  { engine, principal }: SavedQueryContext,
  name: string,
  change: (who: { name: string; userName: string; isAdmin: boolean }) => Promise<readonly object[]>,
): Promise<void> => {
  const rows = await change({ name, userName: principal.name, isAdmin: principal.isAdmin });
  if (rows.length > 0) return;
  await requireSavedQuery({ engine }, name);
  throw refuseChange(principal);
};

export const replaceQuery = async (context: SavedQueryContext, body: SavedQueryBody): Promise<SavedQueryNode> => {
  checkBody(context, body);
  const values = valuesOf(context, body);
  await changeQuery(context, body.name, (who) =>
    context.engine.graph.write((one) => one.run(updateSavedQuery, { ...who, values })),
  );
  return requireSavedQuery(context, body.name);
};

export const deleteQuery = (context: SavedQueryContext, name: string): Promise<void> =>
  changeQuery(context, name, (who) => context.engine.graph.write((one) => one.run(deleteSavedQuery, who)));

export const listQueries = async ({ engine }: Pick<SavedQueryContext, 'engine'>, after: string, limit: number) => {
  const [rows, counted] = await Promise.all([
    engine.graph.read(listSavedQueries, { after, limit: limit + 1 }),
    engine.graph.read(countSavedQueries, {}),
  ]);
  const nodes = rows.slice(0, limit).map(({ node }) => node);
  return { nodes, next: rows.length > limit ? nodes.at(-1)?.name : undefined, total: counted[0]?.total ?? 0 };
};
