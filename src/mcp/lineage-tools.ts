import * as v from 'valibot';
import { CatalogError, recordNotFound } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { formatEntityLink } from '../model/language/entity-link.ts';
import { fqnPart, splitFqn } from '../model/name.ts';
import type { ListRest } from './answer-budget.ts';
import { findAsset, refsOf, rowsOf } from './assets.ts';
import { columnStepRow } from './column-walk.ts';
import {
  describeEdges,
  describeNode,
  findColumn,
  followColumn,
  lineageFacts,
  MAX_DEPTH,
  nodeRow,
  noteLineage,
  readLineageAround,
} from './lineage-graph.ts';
import {
  answerArguments,
  assetFacts,
  assetName,
  assetType,
  choiceArgument,
  countArgument,
  defineTool,
  nameArgument,
  refSchema,
  type Tool,
  type ToolContext,
} from './tool.ts';

/** Tools that follow lineage: of an asset, of a column, and between two of them. */

const column = nameArgument('Name of a column, relative to the asset or fully qualified');

const MORE_LINEAGE = 'lower depth or ask in one direction';

const stepRow = v.strictObject({
  step: v.number(),
  from: v.string(),
  to: v.string(),
  function: v.optional(v.string()),
});

const edgeRow = v.strictObject({
  from: v.string(),
  to: v.string(),
  source: v.optional(v.string()),
  pipeline: v.optional(v.string()),
});

const lineage = defineTool({
  name: 'lineage',
  title: 'Get lineage',
  description:
    'Tells what feeds an asset or one of its columns (upstream) and what is built on it (downstream), nearest first, with the edges between them.',
  schema: v.strictObject({
    fqn: assetName,
    type: assetType,
    direction: v.optional(choiceArgument('Where to walk', ['upstream', 'downstream', 'both']), 'both'),
    depth: countArgument('Number of levels to follow', 1, MAX_DEPTH, 2),
    column: v.optional(column),
    ...answerArguments,
  }),
  answers: {
    facts: {
      ...assetFacts,
      direction: v.string(),
      depth: v.number(),
      column: v.optional(v.string()),
      ...lineageFacts,
    },
    lists: { assets: nodeRow, edges: edgeRow, upstream: stepRow, downstream: stepRow },
  },
  run: async (context, { direction, depth, ...input }) => {
    const asset = await findAsset(context, input.fqn, input.type);
    const isColumn = input.column !== undefined;
    const name = input.column === undefined ? undefined : await findColumn(context, asset, input.column);
    const span = {
      upstreamDepth: direction === 'downstream' ? 0 : depth,
      downstreamDepth: direction === 'upstream' ? 0 : depth,
    };
    const around = await readLineageAround(context, asset, span, isColumn);
    const facts = { type: asset.type, fqn: asset.fqn, direction, depth, ...noteLineage(around, depth) };
    if (name !== undefined) {
      const lists = (['upstream', 'downstream'] as const)
        .filter((way) => direction === 'both' || direction === way)
        .map((way) => ({ name: way, rows: followColumn(around, name, way).map(columnStepRow), more: MORE_LINEAGE }));
      return { facts: { ...facts, column: name }, lists };
    }
    return {
      facts,
      lists: [
        { name: 'assets', rows: around.nodes.map(describeNode), more: MORE_LINEAGE },
        { name: 'edges', rows: describeEdges(around), more: MORE_LINEAGE },
      ],
    };
  },
});

const trail = defineTool({
  name: 'trail',
  title: 'Trace a column to its origins',
  description:
    'Tells where the values of one column originally come from: follows it upstream, step by step with the functions that change it.',
  schema: v.strictObject({
    fqn: assetName,
    type: assetType,
    column,
    depth: countArgument('Number of levels to follow', 1, MAX_DEPTH, MAX_DEPTH),
    ...answerArguments,
  }),
  answers: {
    facts: { ...assetFacts, column: v.string(), ...lineageFacts },
    lists: { origins: v.string(), steps: stepRow },
  },
  run: async (context, input) => {
    const asset = await findAsset(context, input.fqn, input.type);
    const name = await findColumn(context, asset, input.column);
    const around = await readLineageAround(context, asset, { upstreamDepth: input.depth, downstreamDepth: 0 }, true);
    const rows = followColumn(around, name, 'upstream').map(columnStepRow);
    const made = new Set(rows.map(({ to }) => to));
    const origins = [...new Set(rows.map(({ from }) => String(from)))].filter((one) => !made.has(one));
    return {
      facts: { type: asset.type, fqn: asset.fqn, column: name, ...noteLineage(around, input.depth) },
      lists: [
        { name: 'origins', rows: origins },
        { name: 'steps', rows, more: 'ask for the trail of a column on the way' },
      ],
    };
  },
});

/** How many levels a column may lie below its asset. */
const MAX_NESTING = 5;

const joinParts = (parts: readonly string[]): string => parts.map(fqnPart).join('.');

/** Finds the ID of an asset, or the entity link of a column, by its full name. */
const findEnd = async (context: ToolContext, name: string): Promise<string> => {
  if (name.startsWith('<#E::')) return name;
  const parts = splitFqn(name);
  for (let nesting = 0; nesting <= MAX_NESTING && nesting < parts.length; nesting += 1) {
    const owner = joinParts(parts.slice(0, parts.length - nesting));
    try {
      const asset = await findAsset(context, owner);
      if (nesting === 0) return asset.id;
      const item = joinParts(parts.slice(parts.length - nesting));
      return formatEntityLink({ entityType: asset.type, fqn: asset.fqn, field: 'columns', item });
    } catch (failure) {
      if (!(failure instanceof CatalogError && failure.code === 'not_found')) throw failure;
    }
  }
  throw recordNotFound('asset', name);
};

const end = (what: string) =>
  nameArgument(`${what}: the fully qualified name of an asset or column, or an entity link`);

const MAX_PATHS = 100;

const NO_PATH =
  'No way is known in this direction. Columns may lack lineage where their assets have it: ask with the names of the assets.';

const notePaths = (found: number, isTruncated: boolean): JsonObject => {
  if (isTruncated) return { note: 'Not every way was followed: ask between assets that lie nearer to each other.' };
  return found > 0 ? {} : { note: NO_PATH };
};

/** Nobody knows how many paths there are behind as many as were asked for. */
const restOfPaths = (found: number, limit: number): ListRest | undefined => {
  if (found < limit) return undefined;
  const more = limit < MAX_PATHS ? 'raise limit' : 'ask for the paths from an asset on the way';
  return { more: `there may be longer ones: ${more}` };
};

const paths = defineTool({
  name: 'paths',
  title: 'Find lineage paths',
  description:
    'Tells how data gets from one asset or column to another: the ways through the assets between them, shortest first.',
  schema: v.strictObject({
    from: end('Where the data comes from'),
    to: end('Where the data goes'),
    limit: countArgument('Maximum number of paths', 1, MAX_PATHS, 10),
    ...answerArguments,
  }),
  answers: {
    facts: {
      from: v.string(),
      to: v.string(),
      found: v.number(),
      truncated: v.boolean(),
      note: v.optional(v.string()),
    },
    lists: {
      paths: v.strictObject({
        length: v.number(),
        assets: v.array(refSchema),
        columns: v.optional(v.array(v.strictObject({ from: v.string(), to: v.string() }))),
      }),
    },
  },
  run: async (context, { limit, ...input }) => {
    const [from, to] = await Promise.all([findEnd(context, input.from), findEnd(context, input.to)]);
    const found = await context.api.readJson({
      path: 'lineage/paths',
      query: { from, to, maxPaths: limit, fields: 'fullyQualifiedName' },
    });
    const rows = rowsOf(found['paths']).map((path): JsonObject => {
      const columns = rowsOf(path['edges']).flatMap(({ fromColumn, toColumn }) =>
        fromColumn === undefined || toColumn === undefined ? [] : [{ from: fromColumn, to: toColumn }],
      );
      return { length: path['length'] ?? 0, assets: refsOf(path['nodes']), ...(columns.length > 0 ? { columns } : {}) };
    });
    return {
      facts: {
        from: input.from,
        to: input.to,
        found: rows.length,
        truncated: found['truncated'] ?? false,
        ...notePaths(rows.length, found['truncated'] === true),
      },
      lists: [{ name: 'paths', rows, more: 'lower limit', rest: restOfPaths(rows.length, limit) }],
    };
  },
});

export const LINEAGE_TOOLS: readonly Tool[] = [lineage, trail, paths];
