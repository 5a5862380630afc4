import { type NodeHandle, Position } from '@xyflow/react';
import type { Bends, Box, Link, Places } from '../layout/placement.ts';
import type { AssetBoxNode } from './asset-box.tsx';
import type { LineageChoice } from './choice.ts';
import { bridgeWords } from './edge-facts.ts';
import { edgeKeyOf } from './edge-key.ts';
import { CUT_WORDS, FATE_NAMES, type Fate, type ShownGraph } from './graph-model.ts';
import type { GroupBoxNode } from './group-box.tsx';
import { countKinds } from './group-words.ts';
import type { Bundle, Group, GroupedGraph } from './groups.ts';
import type { LineEdge } from './line.tsx';
import { BOX_WIDTH, boxHeight, columnMiddle, GROUP_HEIGHT } from './measures.ts';
import { count, type Named, pairNames } from './names.ts';
import { type ColumnPage, type ColumnView, FIRST_COLUMNS, pageOfColumns, type ShownColumns } from './shown-columns.ts';
import { BY_HAND_MARK, trustWords } from './trust.ts';

/** Turns the lineage shown into what is placed and drawn. */

export type Drawing = {
  readonly graph: ShownGraph;
  readonly grouped: GroupedGraph;
  readonly columns: ShownColumns;
  /** The columns that boxes show, of the records that show any. */
  readonly pages: ReadonlyMap<string, ColumnPage>;
  readonly boxes: readonly Box[];
  readonly links: readonly Link[];
};

export type ColumnViews = ReadonlyMap<string, ColumnView>;

/** With a lit column, records on its trail show the columns of the trail without being unfolded. */
const showColumns = (
  { alone }: GroupedGraph,
  columns: ShownColumns,
  { open }: LineageChoice,
  views: ColumnViews,
): ReadonlyMap<string, ColumnPage> => {
  const opened = new Set(open);
  const pages = new Map<string, ColumnPage>();
  for (const { id, fullyQualifiedName: fqn } of alone) {
    const isOpen = opened.has(id);
    if (!isOpen && !columns.joined.has(id)) continue;
    const page = pageOfColumns(columns, { id, fqn, isOpen, view: views.get(id) ?? FIRST_COLUMNS });
    if (isOpen || page.total > 0) pages.set(id, page);
  }
  return pages;
};

export const drawGraph = (
  graph: ShownGraph,
  grouped: GroupedGraph,
  columns: ShownColumns,
  choice: LineageChoice,
  views: ColumnViews,
): Drawing => {
  const pages = showColumns(grouped, columns, choice, views);
  return {
    graph,
    grouped,
    columns,
    pages,
    boxes: [
      ...grouped.alone.map(({ id }) => ({ id, width: BOX_WIDTH, height: boxHeight(pages.get(id)) })),
      ...[...grouped.groups.keys()].map((id) => ({ id, width: BOX_WIDTH, height: GROUP_HEIGHT })),
    ],
    links: [...grouped.bundles].map(([id, { from, to }]) => ({ id, from, to })),
  };
};

/** Whether two drawings need no other places: looking for columns in a box moves nothing. */
export const haveSamePlaces = (one: Drawing, other: Drawing): boolean =>
  one.links.length === other.links.length &&
  one.boxes.length === other.boxes.length &&
  one.boxes.every(({ id, height }, at) => other.boxes[at]?.id === id && other.boxes[at]?.height === height) &&
  one.links.every(({ id }, at) => other.links[at]?.id === id);

const handle = (type: NodeHandle['type'], y: number, id?: string): NodeHandle => ({
  ...(id === undefined ? {} : { id }),
  type,
  position: type === 'target' ? Position.Left : Position.Right,
  x: type === 'target' ? 0 : BOX_WIDTH,
  y,
  width: 1,
  height: 1,
});

/** Where edges end is given, so that they are drawn to boxes that are out of sight and never were in it. */
const handlesOf = (height: number, page: ColumnPage | undefined): NodeHandle[] => [
  handle('target', height / 2),
  handle('source', height / 2),
  ...(page?.rows ?? []).flatMap(({ fqn }, nth) => [
    handle('target', columnMiddle(page as ColumnPage, nth), `in ${fqn}`),
    handle('source', columnMiddle(page as ColumnPage, nth), `out ${fqn}`),
  ]),
];

/** Boxes out of sight are not measured, so their sizes are given. */
const sizeOf = (height: number, page?: ColumnPage) => ({
  width: BOX_WIDTH,
  height,
  measured: { width: BOX_WIDTH, height },
  handles: handlesOf(height, page),
});

const NONE_HIDDEN = { upstream: 0, downstream: 0 };

type Shown = { readonly drawing: Drawing; readonly choice: LineageChoice; readonly lacksTrail: boolean };

const drawAssets = ({ drawing, choice, lacksTrail }: Shown, places: Places): AssetBoxNode[] => {
  const { graph, grouped, columns, pages } = drawing;
  const isLit = choice.column !== undefined && !lacksTrail;
  const opened = new Set(choice.open);
  return grouped.alone.flatMap((record): AssetBoxNode[] => {
    const position = places.get(record.id);
    if (!position) return [];
    const page = pages.get(record.id);
    const height = boxHeight(page);
    const data: AssetBoxNode['data'] = {
      record,
      isRoot: record.id === graph.rootId,
      page,
      isOpen: opened.has(record.id),
      isWaiting: opened.has(record.id) && !columns.own.has(record.id),
      isFaded: isLit && !columns.onTrail.has(record.id) && !columns.joined.get(record.id)?.has(choice.column ?? ''),
      hidden: graph.hidden.get(record.id) ?? NONE_HIDDEN,
      isCut: graph.cutAt.has(record.id),
      fate: graph.fates.get(record.id),
    };
    return [{ id: record.id, type: 'asset', position, data, ...sizeOf(height, page) }];
  });
};

/** What those hear who come to a group by the keyboard. */
const labelGroup = ({ name, kinds, failing, isCut, further: { upstream, downstream } }: Group): string =>
  [
    name,
    countKinds(kinds),
    failing > 0 && `${failing.toLocaleString()} failing`,
    upstream > 0 && `${upstream.toLocaleString()} more upstream`,
    downstream > 0 && `${downstream.toLocaleString()} more downstream`,
    isCut && CUT_WORDS,
  ]
    .filter(Boolean)
    .join(', ');

const drawGroups = ({ drawing, choice, lacksTrail }: Shown, places: Places): GroupBoxNode[] => {
  const { grouped, columns } = drawing;
  return [...grouped.groups].flatMap(([id, group]): GroupBoxNode[] => {
    const position = places.get(id);
    if (!position) return [];
    const lit = choice.column === undefined ? 0 : group.members.filter((node) => columns.onTrail.has(node.id)).length;
    const data = { group, lit, isFaded: choice.column !== undefined && !lacksTrail && lit === 0 };
    return [{ id, type: 'assetGroup', position, data, ariaLabel: labelGroup(group), ...sizeOf(GROUP_HEIGHT) }];
  });
};

export type LineageBox = AssetBoxNode | GroupBoxNode;

export const drawBoxes = (shown: Shown, places: Places): LineageBox[] => [
  ...drawAssets(shown, places),
  ...drawGroups(shown, places),
];

/** What became of a bundle is what became of all its edges. */
const fateOf = ({ fates }: ShownGraph, { edges }: Bundle): Fate | '' => {
  const [first] = edges;
  const fate = first && fates.get(first[0]);
  return fate !== undefined && edges.every(([key]) => fates.get(key) === fate) ? fate : '';
};

const namedBox = ({ graph, grouped }: Drawing, id: string): Named =>
  graph.nodes.get(id) ?? { id, name: grouped.groups.get(id)?.name };

/** Edges are opened by the keyboard, but are no stops of the tab key: one goes to them from a box. */
const OPENED_BY_KEYS = { ariaRole: 'button', domAttributes: { tabIndex: -1 } } as const satisfies Partial<LineEdge>;

/** What is known of the only edge of a bundle: that it is a bridge, or who states it. */
type OnlyEdge = { readonly words: string | undefined; readonly look: string; readonly isByHand?: boolean };

const describeOnly = ({ trusts }: ShownGraph, { edges: [first, ...more] }: Bundle): OnlyEdge => {
  if (first === undefined || more.length > 0) return { words: undefined, look: '' };
  const [key, edge] = first;
  if (edge.bridged) return { words: bridgeWords(edge.over), look: 'bridge' };
  const trust = trusts.get(key);
  if (trust === undefined) return { words: undefined, look: '' };
  const look = trust.isOld ? `${trust.kind} unconfirmed` : trust.kind;
  return { words: trustWords(trust), look, isByHand: trust.kind === 'by-hand' };
};

/** «orders feeds revenue», and what else those who do not see the edge have to know. */
const labelBundle = (drawing: Drawing, { from, to, edges }: Bundle, { words }: OnlyEdge, fate: Fate | ''): string => {
  const parts = [
    pairNames(namedBox(drawing, from), namedBox(drawing, to)).join(' feeds '),
    edges.length > 1 && count(edges.length, 'edge'),
    words,
    fate && FATE_NAMES[fate].slice(2),
  ];
  return parts.filter(Boolean).join(', ');
};

const drawBundle = ({ drawing, choice }: Shown, id: string, bundle: Bundle, lit: ReadonlySet<string>): LineEdge => {
  const number = bundle.edges.length;
  const fate = fateOf(drawing.graph, bundle);
  const only = describeOnly(drawing.graph, bundle);
  const light = lit.has(id) ? 'lit' : choice.column === undefined ? '' : 'dim';
  return {
    ...OPENED_BY_KEYS,
    id,
    source: bundle.from,
    target: bundle.to,
    className: [fate, light, number > 1 ? 'bundle' : '', only.look].join(' '),
    ariaLabel: labelBundle(drawing, bundle, only, fate),
    ...(number > 1 ? { label: number.toLocaleString(), style: { strokeWidth: 1.5 + Math.log2(number) / 2 } } : {}),
    ...(only.isByHand ? { markerStart: BY_HAND_MARK } : {}),
  };
};

/** The edges, those of columns through the bends of the bundle between their boxes. */
export const drawEdges = (shown: Shown, bends: Bends): LineEdge[] => {
  const { grouped, columns, pages } = shown.drawing;
  const isShown = (id: string, column: string) => pages.get(id)?.rows.some(({ fqn }) => fqn === column) ?? false;
  const lit = new Set<string>();
  const between: LineEdge[] = [];
  for (const [id, edge] of columns.edges) {
    const isLit = columns.trail.has(edge.fromColumn) && columns.trail.has(edge.toColumn);
    if (isShown(edge.fromEntity, edge.fromColumn) && isShown(edge.toEntity, edge.toColumn)) {
      between.push({
        ...OPENED_BY_KEYS,
        id,
        source: edge.fromEntity,
        target: edge.toEntity,
        sourceHandle: `out ${edge.fromColumn}`,
        targetHandle: `in ${edge.toColumn}`,
        className: isLit ? 'lit' : '',
        // What is lit is seen whole, also where it passes other boxes.
        ...(isLit ? { zIndex: 1 } : {}),
        ariaLabel: `${edge.fromColumn} feeds ${edge.toColumn}`,
      });
    } else if (isLit) lit.add(`${grouped.boxOf.get(edge.fromEntity)} ${grouped.boxOf.get(edge.toEntity)}`);
  }
  return [...[...grouped.bundles].map(([id, bundle]) => drawBundle(shown, id, bundle, lit)), ...between].map((edge) => {
    const through = bends.get(edgeKeyOf(edge.source, edge.target));
    return through ? { ...edge, type: 'line', data: { bends: through } } : edge;
  });
};
