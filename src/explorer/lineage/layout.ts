import ELK, { type ElkNode } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import { placeBeside } from './graph-thread.ts';
import type { Box, Link, Places } from './placement.ts';

/** Places the boxes of a graph from left to right, in a worker, so that the page goes on answering meanwhile. */

/**
 * The thorough layout takes a quarter of a second for so many boxes, and many seconds for 2,000, of which nobody sees
 * enough at once to tell the difference.
 */
const MOST_THOROUGH = 300;

let engine: InstanceType<typeof ELK> | undefined;

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.layered.spacing.nodeNodeBetweenLayers': '96',
  'elk.spacing.nodeNode': '24',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
  'elk.separateConnectedComponents': 'false',
};

const placeThoroughly = async (boxes: readonly Box[], links: readonly Link[]): Promise<Places> => {
  engine ??= new ELK({ workerUrl });
  const known = new Set(boxes.map(({ id }) => id));
  const root: ElkNode = {
    id: 'root',
    layoutOptions: OPTIONS,
    children: boxes.map((box) => ({ ...box })),
    edges: links
      .filter(({ from, to }) => known.has(from) && known.has(to) && from !== to)
      .map(({ id, from, to }) => ({ id, sources: [from], targets: [to] })),
  };
  const { children = [] } = await engine.layout(root);
  return new Map(children.map(({ id, x = 0, y = 0 }) => [id, { x, y }]));
};

/** A box with more neighbours than these on one side is the stem of a fan, which the thorough layout makes one tall column of. */
const MOST_ON_A_SIDE = 25;

const hasFan = (links: readonly Link[]): boolean => {
  const counts = new Map<string, number>();
  for (const { from, to } of links) {
    for (const end of [`from ${from}`, `to ${to}`]) counts.set(end, (counts.get(end) ?? 0) + 1);
  }
  return [...counts.values()].some((count) => count > MOST_ON_A_SIDE);
};

export const placeBoxes = (boxes: readonly Box[], links: readonly Link[]): Promise<Places> =>
  boxes.length > MOST_THOROUGH || hasFan(links) ? placeBeside(boxes, links) : placeThoroughly(boxes, links);
