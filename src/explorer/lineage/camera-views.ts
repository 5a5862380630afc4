import type { Bends, Places } from '../layout/placement.ts';
import { type Bounds, boundsOf } from './box-bounds.ts';
import type { LineageChoice } from './choice.ts';
import type { Drawing } from './flow.ts';
import {
  comeNear,
  frameAround,
  frameBounds,
  frameStart,
  isVisible,
  isWholeInView,
  keepInView,
  type Pane,
  showBeside,
  type Viewport,
} from './framing.ts';
import { findColumnOwner } from './graph-model.ts';
import type { Highlight } from './highlight.ts';

/** What of a drawn graph is to be seen: its start, a path, what is chosen, and what has come beside a box. */

export type LaidOutGraph = { readonly drawing: Drawing; readonly places: Places; readonly bends: Bends | undefined };

/** A box that was picked from a list is shown so large. */
const PICKED_ZOOM = 0.8;

const boundsOfBoxes = ({ drawing, places }: LaidOutGraph, ids: ReadonlySet<string>): Bounds | undefined => {
  const boxes = drawing.boxes.filter(({ id }) => ids.has(id) && places.has(id));
  return boxes.length > 0 ? boundsOf(boxes, places) : undefined;
};

/** The bounds of records, wherever they stand: in boxes of their own or in those of groups. */
const boundsOfRecords = (graph: LaidOutGraph, ids: Iterable<string>): Bounds | undefined => {
  const { boxOf } = graph.drawing.grouped;
  return boundsOfBoxes(graph, new Set([...ids].map((id) => boxOf.get(id) ?? id)));
};

const boundsOfBox = (graph: LaidOutGraph, id: string): Bounds | undefined => boundsOfBoxes(graph, new Set([id]));

/** The root with its neighbours, or all of a graph that is small enough. */
const findStartView = (graph: LaidOutGraph, pane: Pane): Viewport | undefined => {
  const { drawing, places, bends } = graph;
  const { rootId } = drawing.graph;
  const root = boundsOfBox(graph, rootId);
  if (!root) return undefined;
  const near = new Set([rootId]);
  for (const { from, to } of drawing.links) {
    if (from === rootId) near.add(to);
    else if (to === rootId) near.add(from);
  }
  const all = boundsOf(drawing.boxes, places, bends);
  const isGrouped = drawing.grouped.groups.size > 0;
  return frameStart({ all, near: boundsOfBoxes(graph, near) ?? root, root, isGrouped }, pane);
};

/** The path that stands out, or where it begins if not all of it can be read at once. */
const findPathView = (graph: LaidOutGraph, highlight: Highlight | undefined, pane: Pane): Viewport | undefined => {
  const ids = [...(highlight?.nodes.keys() ?? [])];
  const bounds = boundsOfBoxes(graph, new Set(ids));
  return bounds && frameBounds(bounds, boundsOfBox(graph, ids[0] ?? '') ?? bounds, pane);
};

/** The whole trail of the lit column, or what is around the column if not all of it can be read at once. */
const findTrailView = (
  graph: LaidOutGraph,
  column: string | undefined,
  view: Viewport | undefined,
  pane: Pane,
): Viewport | undefined => {
  const bounds = boundsOfRecords(graph, graph.drawing.columns.onTrail);
  if (column === undefined || !bounds) return undefined;
  if (view && isWholeInView(view, bounds, pane)) return view;
  const owner = findColumnOwner(graph.drawing.graph, column);
  return frameAround(bounds, boundsOfRecords(graph, owner ? [owner.id] : []) ?? bounds, pane);
};

/** What the panel is about: a record, both ends of an edge, or the asset of the page. */
const subjectOf = (graph: LaidOutGraph, { asset, edge, change, isFailing }: LineageChoice): Bounds | undefined => {
  const about = change !== undefined || isFailing ? [graph.drawing.graph.rootId] : undefined;
  const ids = asset === undefined ? (edge?.split(' ') ?? about) : [asset];
  return ids && boundsOfRecords(graph, ids);
};

/** Moves a view as far as it must for what is chosen to be in it; undefined where nothing is. */
export const findSubjectView = (
  graph: LaidOutGraph,
  choice: LineageChoice,
  view: Viewport,
  pane: Pane,
): Viewport | undefined => {
  const subject = subjectOf(graph, choice);
  return subject && keepInView(view, subject, pane);
};

/** What is seen while nobody has moved the view. */
export const findRestView = (
  graph: LaidOutGraph,
  { choice, highlight }: { readonly choice: LineageChoice; readonly highlight: Highlight | undefined },
  pane: Pane,
  former?: Viewport,
): Viewport | undefined => {
  const view =
    findPathView(graph, highlight, pane) ??
    findTrailView(graph, choice.column, former, pane) ??
    findStartView(graph, pane);
  return view && (findSubjectView(graph, choice, view, pane) ?? view);
};

/** The box that stays where it is: the one acted on, or if it is gone the first that came, or else the root. */
const findAnchor = (before: Places, now: Places, acted: string | undefined, rootId: string) => {
  if (acted !== undefined && before.has(acted)) {
    const id = now.has(acted) ? acted : [...now.keys()].find((one) => !before.has(one));
    if (id !== undefined) return { from: before.get(acted), to: now.get(id), id };
  }
  return { from: before.get(rootId), to: now.get(rootId), id: rootId };
};

type Former = {
  readonly places: Places;
  /** The boxes that had come before somebody acted: what came since is shown, also when it moves once more. */
  readonly known: Places;
  readonly acted: string | undefined;
  /** Whether the columns of the box acted on have just been asked for. */
  readonly isUnfolding: boolean;
  readonly view: Viewport;
};

/**
 * After boxes have come, gone or moved: the view in which the box acted on has not moved, and the one to go on to from
 * there, in which what came beside it can be seen.
 */
export const findNextView = (
  graph: LaidOutGraph,
  { places: before, known, acted, isUnfolding, view }: Former,
  pane: Pane,
): { readonly held: Viewport; readonly next: Viewport } => {
  const { drawing, places } = graph;
  const picked = acted === undefined || before.has(acted) ? undefined : boundsOfBox(graph, acted);
  if (picked) {
    const next = { ...frameBounds(picked, picked, pane), zoom: Math.max(view.zoom, PICKED_ZOOM) };
    return { held: next, next: keepInView(next, picked, pane) };
  }
  const { from, to, id } = findAnchor(before, places, acted, drawing.graph.rootId);
  const box = boundsOfBox(graph, id);
  if (!from || !to || !box) return { held: view, next: view };
  const { zoom } = view;
  const held = { x: view.x - (to.x - from.x) * zoom, y: view.y - (to.y - from.y) * zoom, zoom };
  if (isUnfolding) return { held, next: comeNear(held, box, pane) };
  if (acted !== undefined) {
    const came = drawing.boxes.flatMap((one) => (known.has(one.id) ? [] : (boundsOfBox(graph, one.id) ?? [])));
    return { held, next: showBeside(held, box, came, pane) };
  }
  return { held, next: isVisible(held, boundsOf(drawing.boxes, places), pane) ? held : keepInView(held, box, pane) };
};
