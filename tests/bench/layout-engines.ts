import dagre from '@dagrejs/dagre';

import elkjs, { type ElkExtendedEdge } from 'elkjs/lib/elk.bundled.js';
import { coursePoints } from '../../src/explorer/layout/course.ts';
import { placeBoxes } from '../../src/explorer/layout/place-boxes.ts';
import type { Arrangement, Place } from '../../src/explorer/layout/placement.ts';
import type { LayoutGraph } from './layout-graphs.ts';

/** Three ways to lay a graph out, each with the lines that it would draw. */

export type LaidOut = {
  readonly places: ReadonlyMap<string, Place>;
  readonly courses: readonly (readonly Place[])[];
  /** What a layout that keeps boxes where they were has to know. */
  readonly arrangement?: Arrangement;
};

const LAYER_GAP = 96;
const BOX_GAP = 24;

const ours = async ({ boxes, links }: LayoutGraph, former?: LaidOut): Promise<LaidOut> => {
  const placement = placeBoxes(boxes, links, former?.arrangement && { ...former.arrangement, isHeld: true });
  const { places, bends } = placement;
  const sizes = new Map(boxes.map((box) => [box.id, box]));
  const courses = links.map(({ id, from, to }) => {
    const [start, end] = [places.get(from) ?? { x: 0, y: 0 }, places.get(to) ?? { x: 0, y: 0 }];
    const [{ width = 0, height = 0 } = {}, last] = [sizes.get(from), sizes.get(to)];
    return coursePoints({
      from: { x: start.x + width, y: start.y + height / 2 },
      to: { x: end.x, y: end.y + (last?.height ?? 0) / 2 },
      bends: bends.get(id),
    });
  });
  return { places, courses, arrangement: placement };
};

const elk = async ({ boxes, links }: LayoutGraph): Promise<LaidOut> => {
  const { children = [], edges = [] } = await new elkjs.default().layout({
    id: 'root',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.edgeRouting': 'POLYLINE',
      'elk.layered.spacing.nodeNodeBetweenLayers': String(LAYER_GAP),
      'elk.spacing.nodeNode': String(BOX_GAP),
      'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
      'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
      'elk.separateConnectedComponents': 'false',
    },
    children: boxes.map((box) => ({ ...box })),
    edges: links.map(({ id, from, to }) => ({ id, sources: [from], targets: [to] })),
  });
  return {
    places: new Map(children.map(({ id, x = 0, y = 0 }) => [id, { x, y }])),
    courses: (edges as readonly ElkExtendedEdge[]).map(({ sections: [section] = [] }) =>
      section ? [section.startPoint, ...(section.bendPoints ?? []), section.endPoint] : [],
    ),
  };
};

/** Its thorough ranking takes minutes for so many boxes. */
const MOST_THOROUGH = 1000;

const dagreLayout = async ({ boxes, links }: LayoutGraph): Promise<LaidOut> => {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  const ranker = boxes.length > MOST_THOROUGH ? 'tight-tree' : 'network-simplex';
  graph.setGraph({ rankdir: 'LR', ranksep: LAYER_GAP, nodesep: BOX_GAP, ranker });
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height });
  for (const { id, from, to } of links) graph.setEdge(from, to, {}, id);
  dagre.layout(graph);
  const places = boxes.map(({ id, width, height }) => {
    const { x, y } = graph.node(id) as Place;
    return [id, { x: x - width / 2, y: y - height / 2 }] as const;
  });
  return {
    places: new Map(places),
    courses: links.map(({ id, from, to }) => (graph.edge({ v: from, w: to, name: id }) as { points: Place[] }).points),
  };
};

export const ENGINES = { ours, elkjs: elk, dagre: dagreLayout } as const;
export type EngineName = keyof typeof ENGINES;
