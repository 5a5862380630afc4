import * as v from 'valibot';
import { recordNotFound } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { nearestOf } from '../model/nearest.ts';
import { rowsOf } from './assets.ts';
import { MAX_ROWS } from './list-page.ts';
import { answerArguments, countArgument, defineTool, nameArgument, type Tool, textArgument } from './tool.ts';

/** Tools that ask the graph by a query, for what no other tool answers. */

const MAX_QUERY = 20_000;

const labelOf = ({ name = '', description = '', properties }: JsonObject): JsonObject => ({
  label: name,
  description,
  properties: rowsOf(properties)
    .map((one) => String(one['name']))
    .join(' '),
});

const edgeOf = ({ name = '', description = '', from, to, properties }: JsonObject): JsonObject => ({
  edge: name,
  description,
  from: (from as string[]).join(' '),
  to: (to as string[]).join(' '),
  properties: rowsOf(properties)
    .map((one) => String(one['name']))
    .join(' '),
});

const unknownLabel = (label: string, known: readonly JsonObject[]) => {
  const nearest = nearestOf(
    label,
    known.map(({ name }) => String(name)),
  );
  return recordNotFound('label', label, nearest && `Did you mean ${nearest}?`);
};

const graphSchema = defineTool({
  name: 'graph_schema',
  title: 'Describe what queries may ask for',
  description:
    'Lists the labels, edges and properties that `ask_graph` may ask for. Name a label to get that one and its edges.',
  schema: v.strictObject({ label: v.optional(nameArgument('Label to describe, such as Table')), ...answerArguments }),
  answers: {
    facts: { functions: v.string(), clauses: v.string() },
    lists: {
      labels: v.strictObject({ label: v.string(), description: v.string(), properties: v.string() }),
      edges: v.strictObject({
        edge: v.string(),
        description: v.string(),
        from: v.string(),
        to: v.string(),
        properties: v.string(),
      }),
    },
  },
  run: async (context, { label }) => {
    const found = await context.api.readJson({ path: 'graph/schema' });
    const joins = ({ from, to }: JsonObject) => [...(from as string[]), ...(to as string[])].includes(label ?? '');
    const labels = rowsOf(found['labels']).filter(({ name }) => label === undefined || name === label);
    if (label !== undefined && labels.length === 0) throw unknownLabel(label, rowsOf(found['labels']));
    const edges = rowsOf(found['edges']).filter((edge) => label === undefined || joins(edge));
    return {
      facts: {
        functions: (found['functions'] as string[]).join(' '),
        clauses: (found['clauses'] as string[]).join(', '),
      },
      lists: [
        { name: 'labels', rows: labels.map(labelOf), more: 'name a label' },
        { name: 'edges', rows: edges.map(edgeOf), more: 'name a label' },
      ],
    };
  },
});

const namedRow = (columns: readonly string[], row: readonly Json[]): JsonObject =>
  Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]));

const askGraph = defineTool({
  name: 'ask_graph',
  title: 'Ask the graph by a query',
  description:
    'Answers a query in the part of Cypher that reads, for questions that no other tool answers. `graph_schema` lists labels, edges and properties. Example: MATCH (t:Table)-[:FEEDS*1..5]->(d:Dashboard {name: $name}) WHERE NOT EXISTS { (t)<-[:OWNS]-() } RETURN t.fullyQualifiedName',
  schema: v.strictObject({
    query: textArgument('Query, with a bound for every row of edges, such as *1..5', MAX_QUERY),
    parameters: v.optional(
      v.pipe(v.record(v.string(), v.any()), v.description('Values of the parameters of the query, by name')),
    ),
    limit: countArgument('Maximum number of rows', 1, MAX_ROWS, 100),
    ...answerArguments,
  }),
  answers: {
    facts: { columns: v.array(v.string()), truncated: v.boolean() },
    lists: { rows: v.record(v.string(), v.any()) },
  },
  run: async (context, { query, parameters = {}, limit }) => {
    const body = { query, parameters, limit };
    const found = await context.api.readJson({ method: 'POST', path: 'graph/query', body });
    const columns = found['columns'] as string[];
    const rows = (found['rows'] as readonly (readonly Json[])[]).map((row) => namedRow(columns, row));
    const truncated = found['truncated'] === true;
    const next = `end the query with SKIP ${rows.length}`;
    const more = limit < MAX_ROWS ? `raise limit, or ${next}` : next;
    return {
      facts: { columns, truncated },
      lists: [{ name: 'rows', rows, more: 'return fewer columns, or count', ...(truncated ? { rest: { more } } : {}) }],
    };
  },
});

export const QUERY_TOOLS: readonly Tool[] = [graphSchema, askGraph];
