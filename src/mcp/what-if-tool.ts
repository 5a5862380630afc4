import * as v from 'valibot';
import { badRequest } from '../errors.ts';
import { isArray, isObject, type Json, type JsonObject } from '../model/json.ts';
import { findAsset, refsOf, rowsOf, shortRef } from './assets.ts';
import { noteTruncation } from './lineage-graph.ts';
import { answerArguments, assetType, defineTool, nameArgument, refSchema, type Tool, textArgument } from './tool.ts';

/** The tool that asks what changes would do. */

const MAX_CHANGES_TEXT = 60_000;

const EXAMPLE =
  '[{"op":"putEdge","from":{"type":"table","fullyQualifiedName":"a.b.c.d"},"to":{…},"lineageDetails":{"columnsLineage":[{"fromColumns":["a.b.c.d.x"],"toColumn":"…"}]}},{"op":"removeEdge","from":{…},"to":{…}},{"op":"putColumns","entity":{…},"columns":[{"name":"x","dataType":"INT"}]},{"op":"removeAsset","entity":{…}}]';

const parseChanges = (text: string): readonly Json[] => {
  try {
    const value = JSON.parse(text) as Json;
    if (isArray(value)) return value;
  } catch (cause) {
    throw badRequest('[changes is no valid JSON]', cause);
  }
  throw badRequest('[changes must be a list of objects with the member op]');
};

const describeBreak = (row: JsonObject): JsonObject => ({
  ...row,
  contract: shortRef(row['contract']),
  entity: shortRef(row['entity']),
});

const describeAffected = (row: JsonObject): JsonObject => ({
  certainty: row['certainty'] ?? '',
  depth: row['depth'] ?? 0,
  entity: shortRef(row['entity']),
});

const mappingsOf = (part: Json | undefined): JsonObject[] => {
  const { columnEdges } = (part !== undefined && isObject(part) ? part : {}) as JsonObject;
  return rowsOf(columnEdges).map(({ fromColumn = '', toColumn = '' }) => ({ from: fromColumn, to: toColumn }));
};

const nodesOf = (part: Json | undefined): Json[] =>
  refsOf((part !== undefined && isObject(part) ? part : ({} as JsonObject))['nodes']);

const mappingRow = v.strictObject({ from: v.string(), to: v.string() });
const affectedRow = v.strictObject({ certainty: v.string(), depth: v.number(), entity: refSchema });

const whatIf = defineTool({
  name: 'what_if',
  title: 'Ask what changes would do',
  description:
    'Tells what would happen if several changes were made together: what new and removed edges, changed columns, removed assets and new contracts would break. With an asset, also what it would affect and how the lineage around it would differ. Changes nothing.',
  schema: v.strictObject({
    changes: textArgument(`Changes in their order, as a JSON list such as ${EXAMPLE}`, MAX_CHANGES_TEXT),
    fqn: v.optional(nameArgument('Fully qualified name of an asset to follow after the changes')),
    type: assetType,
    ...answerArguments,
  }),
  answers: {
    facts: {
      verdict: v.string(),
      affected: v.number(),
      truncated: v.boolean(),
      note: v.optional(v.string()),
    },
    lists: {
      breaks: v.looseObject({ contract: refSchema, entity: refSchema }),
      changes: v.looseObject({}),
      owners: refSchema,
      impact: affectedRow,
      addedNodes: refSchema,
      removedNodes: refSchema,
      addedMappings: mappingRow,
      removedMappings: mappingRow,
    },
  },
  run: async (context, { changes, fqn, type }) => {
    const asset = fqn === undefined ? undefined : await findAsset(context, fqn, type);
    const around = asset && { id: asset.id, upstreamDepth: 2, downstreamDepth: 2 };
    const body = {
      changes: parseChanges(changes),
      ask: asset ? ['contracts', 'impact', 'diff'] : ['contracts'],
      ...(around ?? {}),
    };
    const { text, headers } = await context.api.read({ method: 'POST', path: 'lineage/what-if', body });
    const answer = JSON.parse(text) as JsonObject;
    const contracts = answer['contracts'] as JsonObject;
    const affected = contracts['affected'] as JsonObject;
    const { impact = {}, diff = {} } = answer as { readonly impact?: JsonObject; readonly diff?: JsonObject };
    const rows = rowsOf(contracts['changes']).map((row) => ({ ...row, entity: shortRef(row['entity']) }));
    const more = 'ask about fewer changes';
    return {
      facts: {
        verdict: contracts['verdict'] ?? '',
        affected: affected['entities'] ?? 0,
        ...noteTruncation(headers, 'ask about fewer changes'),
      },
      lists: [
        { name: 'breaks', rows: rowsOf(contracts['breaks']).map(describeBreak), more },
        { name: 'changes', rows, more },
        { name: 'owners', rows: refsOf(affected['owners']), more },
        ...(asset
          ? [
              { name: 'impact', rows: rowsOf(impact['affected']).map(describeAffected), more },
              { name: 'addedNodes', rows: nodesOf(diff['added']), more },
              { name: 'removedNodes', rows: nodesOf(diff['removed']), more },
              { name: 'addedMappings', rows: mappingsOf(diff['added']), more },
              { name: 'removedMappings', rows: mappingsOf(diff['removed']), more },
            ]
          : []),
      ],
    };
  },
});

export const WHAT_IF_TOOLS: readonly Tool[] = [whatIf];
