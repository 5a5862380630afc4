import type { CsvRow } from '../../../http/csv-writer.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../../model/json.ts';
import { jsonObject, jsonObjects } from '../../../model/json-parts.ts';

/** Builds the CSV rows of the two exports from rendered maps. */

const SHORT_HEADER = [
  'fromId*',
  'fromEntityType*',
  'fromFullyQualifiedName*',
  'toId*',
  'toEntityType*',
  'toFullyQualifiedName*',
  'description',
  'pipelineId',
  'pipelineFullyQualifiedName',
  'columnLineage',
  'sqlQuery',
  'source',
] as const;

const LONG_HEADER = [
  'fromEntityFQN',
  'fromServiceName',
  'fromServiceType',
  'fromOwners',
  'fromDomain',
  'toEntityFQN',
  'toServiceName',
  'toServiceType',
  'toOwners',
  'toDomain',
  'fromChildEntityFQN',
  'toChildEntityFQN',
  'pipelineName',
  'pipelineDisplayName',
  'pipelineType',
  'pipelineDescription',
  'pipelineOwners',
  'pipelineDomain',
  'pipelineServiceName',
  'pipelineServiceType',
] as const;

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Returns the edges of a map, upstream edges first. */
const listMapEdges = (map: JsonObject): readonly JsonObject[] =>
  [map['upstreamEdges'], map['downstreamEdges']].flatMap((edges) => jsonObjects(Object.values(jsonObject(edges))));

type ColumnNamePair = readonly [from: string, to: string];

const columnNamePairs = (edge: JsonObject): readonly ColumnNamePair[] =>
  jsonObjects(edge['columns']).flatMap(({ fromColumns, toColumn }) =>
    (isArray(fromColumns) ? fromColumns : []).map((from) => [textOf(from), textOf(toColumn)] as const),
  );

const endCells = (end: JsonObject): CsvRow => [
  textOf(end['id']),
  textOf(end['type']),
  textOf(end['fullyQualifiedName']),
];

const shortExportRow = (edge: JsonObject): CsvRow => {
  const pipeline = jsonObject(edge['pipeline']);
  return [
    ...endCells(jsonObject(edge['fromEntity'])),
    ...endCells(jsonObject(edge['toEntity'])),
    textOf(edge['description']),
    textOf(pipeline['id']),
    textOf(pipeline['fullyQualifiedName']),
    columnNamePairs(edge)
      .map(([from, to]) => `${from}:${to}`)
      .join(';'),
    textOf(edge['sqlQuery']),
    textOf(edge['source']),
  ];
};

/** Builds one row per edge. */
export const shortExportRows = (map: JsonObject): readonly CsvRow[] => [
  SHORT_HEADER,
  ...listMapEdges(map).map(shortExportRow),
];

const ownersIn = (record: JsonObject): string =>
  jsonObjects(record['owners'])
    .map((owner) => textOf(owner['displayName']) || textOf(owner['name']))
    .join(';');

const domainsIn = (record: JsonObject): string =>
  jsonObjects(record['domains'])
    .map((domain) => textOf(domain['fullyQualifiedName']))
    .join(';');

const serviceCells = (record: JsonObject): CsvRow => [
  textOf(jsonObject(record['service'])['name']),
  textOf(record['serviceType']),
];

const endpointCells = (record: JsonObject, fullyQualifiedName: string): CsvRow => [
  fullyQualifiedName,
  ...serviceCells(record),
  ownersIn(record),
  domainsIn(record),
];

const NO_PIPELINE: CsvRow = Array.from({ length: 8 }, () => '');

const pipelineCells = (edge: JsonObject): CsvRow => {
  if (!isObject(edge['pipeline'])) return NO_PIPELINE;
  const { pipeline } = edge;
  return [
    textOf(pipeline['name']),
    textOf(pipeline['displayName']),
    textOf(edge['pipelineEntityType']),
    textOf(pipeline['description']),
    ownersIn(pipeline),
    domainsIn(pipeline),
    ...serviceCells(pipeline),
  ];
};

/** Builds one row per column pair; an edge without column mappings gets one row for its pipeline. */
const longExportRowsOf =
  (recordOf: (id: string) => JsonObject) =>
  (edge: JsonObject): readonly CsvRow[] => {
    const side = (name: string): CsvRow => {
      const end = jsonObject(edge[name]);
      return endpointCells(recordOf(textOf(end['id'])), textOf(end['fullyQualifiedName']));
    };
    const ends = [...side('fromEntity'), ...side('toEntity')];
    const pairs = columnNamePairs(edge);
    if (pairs.length === 0) return [[...ends, '', '', ...pipelineCells(edge)]];
    return pairs.map((pair) => [...ends, ...pair, ...NO_PIPELINE]);
  };

/** Builds rows with all details of the edges and of the records they join. */
export const longExportRows = (map: JsonObject): readonly CsvRow[] => {
  const records = jsonObjects(Object.values(jsonObject(map['nodes']))).map((node) => jsonObject(node['entity']));
  const byId = new Map(records.map((record) => [textOf(record['id']), record]));
  return [LONG_HEADER, ...listMapEdges(map).flatMap(longExportRowsOf((id) => byId.get(id) ?? {}))];
};
