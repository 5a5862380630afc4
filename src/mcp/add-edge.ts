import * as v from 'valibot';
import { badRequest } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { type Asset, findAsset, rowsOf } from './assets.ts';
import { encodeName } from './catalog-api.ts';
import { answerProposal, proposalAnswers, writeArguments } from './propose-change.ts';
import { assetName, assetType, defineTool, nameArgument, type ToolContext, textArgument } from './tool.ts';

/** The tool that adds a lineage edge, or adds columns and a description to one that exists. */

const MAX_MAPPINGS = 100;
const MAX_DESCRIPTION = 5000;

const NEW_EDGE = 'new';

const edgePath = (from: Asset, to: Asset): string =>
  [from, to].map(({ type, fqn }) => `${type}/name/${encodeName(fqn)}`).join('/');

/** The names of columns in full. Throws not_found when the asset has none such. */
const expandColumns = async ({ api }: ToolContext, { type, fqn }: Asset, names: readonly string[]) => {
  if (names.length > 0) {
    await api.readJson({ path: 'lineage/impact', query: { type, fqn, column: names, maxDepth: 1 } });
  }
  return new Map(names.map((name) => [name, name.startsWith(`${fqn}.`) ? name : `${fqn}.${name}`]));
};

type ColumnPair = { readonly from: string; readonly to: string };

const pairsOf = (details: JsonObject): readonly ColumnPair[] =>
  rowsOf(details['columnsLineage']).flatMap(({ fromColumns, toColumn }) =>
    ((fromColumns ?? []) as readonly string[]).map((from) => ({ from, to: String(toColumn) })),
  );

const keyOf = ({ from, to }: ColumnPair): string => `${from}\n${to}`.replaceAll('"', '').toLowerCase();

const rowsOfEdge = (details: JsonObject): JsonObject[] => [
  ...(details['description'] === undefined ? [] : [{ description: details['description'] }]),
  ...pairsOf(details).map(({ from, to }) => ({ from, to })),
];

/** The details of the edge with those that are added. Mappings to one column from several are one. */
const mergeDetails = (
  present: JsonObject,
  added: readonly ColumnPair[],
  description: string | undefined,
): { readonly merged: JsonObject; readonly isSame: boolean } => {
  const known = new Set(pairsOf(present).map(keyOf));
  const missing = added.filter((pair) => !known.has(keyOf(pair)));
  const targets = [...new Set(missing.map(({ to }) => to))];
  const mappings = targets.map((toColumn) => ({
    fromColumns: missing.filter(({ to }) => to === toColumn).map(({ from }) => from),
    toColumn,
  }));
  const columnsLineage = [...rowsOf(present['columnsLineage']), ...mappings];
  const isDescribed = description === undefined || description === present['description'];
  return {
    merged: { ...present, columnsLineage, ...(description === undefined ? {} : { description }) },
    isSame: missing.length === 0 && isDescribed,
  };
};

const REVISION_LENGTH = 16;

const revisionOf = async (details: JsonObject | undefined): Promise<string> => {
  if (details === undefined) return NEW_EDGE;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(details)));
  return Buffer.from(digest).toString('base64url').slice(0, REVISION_LENGTH);
};

type EdgeChange = {
  readonly path: string;
  readonly present: JsonObject | undefined;
  readonly merged: JsonObject;
};

/** Writes what a person says of the edge. What other sources say stays theirs, and the edge must be the one shown. */
const sendEdge = async (
  { api }: ToolContext,
  { path, present, merged }: EdgeChange,
  dryRun: boolean,
): Promise<void> => {
  if (present === undefined) {
    const query = { strictColumns: true, dryRun };
    await api.read({
      method: 'PUT',
      path: `lineage/${path}`,
      query,
      body: merged,
      condition: { 'if-none-match': '*' },
    });
    return;
  }
  const { columnsLineage, description } = merged;
  const operations = [
    { op: 'test', path: '', value: present },
    { op: 'add', path: '/source', value: 'Manual' },
    { op: 'add', path: '/columnsLineage', value: columnsLineage },
    ...(description === undefined ? [] : [{ op: 'add', path: '/description', value: description }]),
  ];
  await api.read({
    method: 'PATCH',
    path: `lineage/${path}`,
    query: { dryRun },
    body: operations,
    mediaType: 'application/json-patch+json',
  });
};

const columnPair = v.strictObject({
  from: nameArgument('Name of the column that data comes from'),
  to: nameArgument('Name of the column that data goes to'),
});

export const addEdge = defineTool({
  name: 'add_edge',
  title: 'Add a lineage edge',
  description:
    'Records that data flows from one asset into another, and between which columns. An edge that exists keeps what it says, and columns are added. Shows the edge before and after unless dryRun is false.',
  writes: true,
  answers: proposalAnswers(
    { from: v.string(), to: v.string(), isNew: v.boolean() },
    v.strictObject({ from: v.optional(v.string()), to: v.optional(v.string()), description: v.optional(v.string()) }),
  ),
  schema: v.strictObject({
    from: assetName,
    fromType: assetType,
    to: assetName,
    toType: assetType,
    columns: v.optional(
      v.pipe(
        v.array(columnPair),
        v.maxLength(MAX_MAPPINGS),
        v.description('Pairs of columns, relative to their assets or fully qualified'),
      ),
      [],
    ),
    description: v.optional(textArgument('What the flow does; it replaces the present description', MAX_DESCRIPTION)),
    ...writeArguments,
  }),
  run: async (context, { columns, description, ...input }) => {
    const [from, to] = await Promise.all([
      findAsset(context, input.from, input.fromType),
      findAsset(context, input.to, input.toType),
    ]);
    if (from.id === to.id) throw badRequest(`${from.fqn} cannot be upstream of itself`);
    const [origins, targets] = await Promise.all([
      expandColumns(context, from, [...new Set(columns.map((pair) => pair.from))]),
      expandColumns(context, to, [...new Set(columns.map((pair) => pair.to))]),
    ]);
    const path = edgePath(from, to);
    const answer = await context.api.readIfPresent({ path: `lineage/getLineageEdge/${path}` });
    const present = answer?.['edge'] as JsonObject | undefined;
    const added = columns.map((pair) => ({
      from: origins.get(pair.from) ?? pair.from,
      to: targets.get(pair.to) ?? pair.to,
    }));
    const { merged, isSame } = mergeDetails(present ?? {}, added, description);
    return answerProposal(
      {
        facts: { from: from.fqn, to: to.fqn, isNew: present === undefined },
        before: rowsOfEdge(present ?? {}),
        after: rowsOfEdge(merged),
        isSame: isSame && present !== undefined,
        revision: await revisionOf(present),
        send: (dryRun) => sendEdge(context, { path, present, merged }, dryRun),
      },
      input,
    );
  },
});
