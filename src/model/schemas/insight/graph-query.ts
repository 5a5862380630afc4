import * as v from 'valibot';
import { AnyJson, bounded, Flag, FreeForm, Integer, listOf, must, shape, Text, Timestamp } from '../../values.ts';
import { InsightPaging } from './paging.ts';

/** The schemas of questions to the graph, of their answers, and of the part of the graph that they may ask for. */

const MAX_QUERY_ROWS = 10_000;
export const DEFAULT_QUERY_ROWS = 1000;
const MAX_QUERY_MS = 30_000;
export const DEFAULT_QUERY_MS = 10_000;
const MAX_QUERY_COLUMNS = 200;

const QueryText = v.pipe(Text, v.minLength(1, 'must not be empty'), v.maxLength(20_000, 'size must be at most 20000'));

/** What a caller may say each time a query runs. */
const RUN_MEMBERS = {
  parameters: FreeForm,
  limit: bounded(1, MAX_QUERY_ROWS),
  timeoutMs: bounded(1, MAX_QUERY_MS),
  includeDeleted: Flag,
};

export const GraphQuery = shape('GraphQuery', { query: must(QueryText), ...RUN_MEMBERS });

export const GraphQueryRun = shape('GraphQueryRun', RUN_MEMBERS);

export const GraphQueryAnswer = shape('GraphQueryAnswer', {
  columns: must(listOf(Text, MAX_QUERY_COLUMNS)),
  rows: must(listOf(listOf(AnyJson, MAX_QUERY_COLUMNS), MAX_QUERY_ROWS)),
  truncated: must(Flag),
  tookMs: must(Integer),
});

const GraphProperty = shape('GraphProperty', { name: must(Text), type: must(Text), description: must(Text) });

const GraphLabel = shape('GraphLabel', {
  name: must(Text),
  description: must(Text),
  properties: must(listOf(GraphProperty)),
});

const GraphEdge = shape('GraphEdge', {
  name: must(Text),
  description: must(Text),
  from: must(listOf(Text)),
  to: must(listOf(Text)),
  properties: must(listOf(GraphProperty)),
});

export const GraphSchema = shape('GraphSchema', {
  labels: must(listOf(GraphLabel)),
  edges: must(listOf(GraphEdge)),
  functions: must(listOf(Text)),
  clauses: must(listOf(Text)),
});

/** Names of saved queries are part of addresses and of the labels of metrics. */
const QueryName = v.pipe(
  Text,
  v.regex(/^[A-Za-z][A-Za-z0-9_.-]{0,99}$/, 'must begin with a letter and consist of letters, digits and _ . -'),
);

export const SavedQueryInput = shape('SavedQueryInput', {
  name: must(QueryName),
  description: v.pipe(Text, v.maxLength(2000, 'size must be at most 2000')),
  query: must(QueryText),
  parameters: FreeForm,
  asMetric: Flag,
});

export const SavedQuery = shape('SavedQuery', {
  name: must(QueryName),
  description: Text,
  query: must(Text),
  parameters: must(FreeForm),
  asMetric: must(Flag),
  createdBy: Text,
  updatedAt: must(Timestamp),
  updatedBy: Text,
});

export const SavedQueryList = shape('SavedQueryList', {
  data: must(listOf(SavedQuery)),
  paging: must(InsightPaging),
});
