import type { Engine } from '../../../catalog/engine.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { GraphEdge, GraphNode } from './build-graph.ts';
import { graphJsonPieces } from './graph-json.ts';
import { type GraphRendering, renderColumnEdges, renderGraphEdge, renderNodes } from './render-graph.ts';

/** An output format for graphs. */
type GraphFormat = {
  readonly mediaType: string;
  readonly pieces: (engine: Engine, showing: GraphRendering, asOf: number) => AsyncIterable<string>;
};

/** The number of lines in one chunk of text. */
const LINES_AT_ONCE = 500;

/** Joins lines into chunks, because a chunk per line would cost more than the lines themselves. */
async function* joinLines(lines: Iterable<string> | AsyncIterable<string>, end = '\n'): AsyncGenerator<string> {
  let held: string[] = [];
  for await (const line of lines) {
    held.push(line);
    if (held.length < LINES_AT_ONCE) continue;
    yield held.join(end) + end;
    held = [];
  }
  if (held.length > 0) yield held.join(end) + end;
}

const text = (object: JsonObject, name: string): string => {
  const value = object[name];
  return value === undefined || value === null ? '' : String(value);
};

const fqnsOf = (value: unknown): string =>
  (Array.isArray(value) ? value : value ? [value] : [])
    .map((ref: JsonObject) => text(ref, 'fullyQualifiedName'))
    .join(';');

/** Returns the label of a record; hidden records have no name. */
const labelOf = ({ node, isHidden }: GraphNode): string =>
  isHidden ? `(${node.entityType})` : node.fullyQualifiedName;

const CSV_HEADER = [
  'fromId',
  'fromType',
  'fromFullyQualifiedName',
  'toId',
  'toType',
  'toFullyQualifiedName',
  'fromColumn',
  'toColumn',
  'function',
  'description',
  'source',
  'pipeline',
  'sqlQuery',
  'bridged',
];

const cell = (value: string): string => (/[",\r\n]|^ | $/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

const row = (cells: readonly string[]): string => cells.map(cell).join(',');

/**
 * Writes one line per edge, or per column pair when columns were requested; records without edges get one line each.
 */
function* csvLines(showing: GraphRendering): Generator<string> {
  const { nodes, edges } = showing.drawing;
  const byId = new Map(nodes.map((drawn) => [drawn.node.id, drawn]));
  const end = (id: string): string[] => {
    const drawn = byId.get(id);
    return drawn ? [id, drawn.node.entityType, drawn.isHidden ? '' : drawn.node.fullyQualifiedName] : [id, '', ''];
  };
  yield row(CSV_HEADER);
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  for (const { node } of nodes) if (!joined.has(node.id)) yield row([...end(node.id), ...Array<string>(11).fill('')]);
  for (const edge of edges) {
    const shown = renderGraphEdge(showing, edge);
    const details = (shown['lineageDetails'] ?? {}) as JsonObject;
    const rest = [
      text(shown, 'description'),
      text(details, 'source'),
      fqnsOf(details['pipeline']),
      text(details, 'sqlQuery'),
      text(shown, 'bridged'),
    ];
    const pairs = showing.columns ? renderColumnEdges(showing, edge) : [];
    const columns = pairs.map(({ fromColumn, toColumn, function: made = '' }) => [fromColumn, toColumn, made]);
    for (const three of columns.length > 0 ? columns : [['', '', '']]) {
      yield row([...end(edge.from), ...end(edge.to), ...three, ...rest]);
    }
  }
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

/** Escapes text for XML and removes characters that XML cannot represent, not even as references. */
const xml = (value: string): string =>
  value
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, '')
    .replace(/[&<>"'\n\r\t]/g, (character) => XML_ENTITIES[character] ?? character);

const NODE_KEYS = ['type', 'name', 'fullyQualifiedName', 'displayName', 'depth', 'hidden', 'tier'] as const;
const NODE_LINKS = ['service', 'owners', 'domains'] as const;
const EDGE_KEYS = ['description', 'source', 'sqlQuery', 'pipeline', 'bridged', 'columns'] as const;

const data = (key: string, value: string): string => (value === '' ? '' : `<data key="${key}">${xml(value)}</data>`);

const graphmlNode = (node: JsonObject): string => {
  const own = NODE_KEYS.map((key) => data(`n_${key}`, text(node, key)));
  const links = NODE_LINKS.map((key) => data(`n_${key}`, fqnsOf(node[key])));
  return `<node id="${xml(text(node, 'id'))}">${[...own, ...links].join('')}</node>`;
};

const graphmlEdge = (showing: GraphRendering, edge: GraphEdge): string => {
  const shown = renderGraphEdge(showing, edge);
  const details = (shown['lineageDetails'] ?? {}) as JsonObject;
  const pairs = showing.columns ? renderColumnEdges(showing, edge) : [];
  const values: Readonly<Record<(typeof EDGE_KEYS)[number], string>> = {
    description: text(shown, 'description'),
    source: text(details, 'source'),
    sqlQuery: text(details, 'sqlQuery'),
    pipeline: fqnsOf(details['pipeline']),
    bridged: text(shown, 'bridged'),
    columns: pairs.map(({ fromColumn, toColumn }) => `${fromColumn} → ${toColumn}`).join('\n'),
  };
  const told = EDGE_KEYS.map((key) => data(`e_${key}`, values[key]));
  return `<edge source="${xml(edge.from)}" target="${xml(edge.to)}">${told.join('')}</edge>`;
};

async function* graphmlLines(engine: Engine, showing: GraphRendering): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>';
  yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">';
  for (const key of [...NODE_KEYS, ...NODE_LINKS]) {
    const type = key === 'depth' ? 'int' : key === 'hidden' ? 'boolean' : 'string';
    yield `<key id="n_${key}" for="node" attr.name="${key}" attr.type="${type}"/>`;
  }
  for (const key of EDGE_KEYS) {
    yield `<key id="e_${key}" for="edge" attr.name="${key}" attr.type="${key === 'bridged' ? 'boolean' : 'string'}"/>`;
  }
  yield '<graph id="lineage" edgedefault="directed">';
  for await (const nodes of renderNodes(engine, showing)) yield* nodes.map(graphmlNode);
  for (const edge of showing.drawing.edges) yield graphmlEdge(showing, edge);
  yield '</graph>';
  yield '</graphml>';
}

/** Escapes every character that could end a label, start markup or be read as an entity, and joins lines. */
const mermaidText = (value: string): string =>
  value.replace(/\p{Cc}+/gu, ' ').replace(/["#&<>`\\{}[\]|;]/g, (character) => `#${character.charCodeAt(0)};`);

const nodePositions = ({ drawing }: GraphRendering): ReadonlyMap<string, number> =>
  new Map(drawing.nodes.map(({ node }, at) => [node.id, at]));

function* mermaidLines(showing: GraphRendering): Generator<string> {
  const { nodes, edges } = showing.drawing;
  const at = nodePositions(showing);
  yield 'flowchart LR';
  for (const drawn of nodes) yield `  n${at.get(drawn.node.id)}["${mermaidText(labelOf(drawn))}"]`;
  for (const { from, to, over } of edges) yield `  n${at.get(from)} ${over ? '-.->' : '-->'} n${at.get(to)}`;
}

const dotText = (value: string): string =>
  `"${value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replace(/\r?\n/g, '\\n')
    .replace(/\p{Cc}+/gu, ' ')}"`;

function* dotLines(showing: GraphRendering): Generator<string> {
  const { nodes, edges } = showing.drawing;
  yield 'digraph lineage {';
  yield '  rankdir=LR;';
  for (const drawn of nodes) {
    yield `  ${dotText(drawn.node.id)} [label=${dotText(labelOf(drawn))}${drawn.isHidden ? ', style=dotted' : ''}];`;
  }
  for (const { from, to, over } of edges) {
    yield `  ${dotText(from)} -> ${dotText(to)}${over ? ' [style=dashed]' : ''};`;
  }
  yield '}';
}

/** The output formats by name. */
export const GRAPH_FORMATS: Readonly<Record<string, GraphFormat>> = {
  json: { mediaType: 'application/json', pieces: graphJsonPieces },
  csv: { mediaType: 'text/csv; charset=utf-8', pieces: (_, showing) => joinLines(csvLines(showing), '\r\n') },
  graphml: {
    mediaType: 'application/graphml+xml',
    pieces: (engine, showing) => joinLines(graphmlLines(engine, showing)),
  },
  mermaid: { mediaType: 'text/vnd.mermaid; charset=utf-8', pieces: (_, showing) => joinLines(mermaidLines(showing)) },
  dot: { mediaType: 'text/vnd.graphviz; charset=utf-8', pieces: (_, showing) => joinLines(dotLines(showing)) },
};
