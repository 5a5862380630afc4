import type { Bounds } from './box-bounds.ts';

/** Which part of the graph is in view: at the start, beside a panel, and after boxes have come or moved. */

export type Viewport = { readonly x: number; readonly y: number; readonly zoom: number };

/** The pane in which the graph is seen, and what stands at its top. */
export type Pane = { readonly width: number; readonly height: number; readonly top: number };

/** From here on boxes show their names alone, in large letters. */
export const SMALL_ZOOM = 0.55;
/**
 * Below, names in large letters cannot be read, so that a graph begins with its root and the neighbours of that. A phone
 * shows three boxes side by side with it.
 */
const LEAST_READABLE = 0.36;
/** The neighbours of the root are shown so large, even if not all of them are in view then. */
const COMFORTABLE = 0.65;
/** Boxes that come are not made smaller than this to show all of them. */
const LEAST_BESIDE = 0.5;

const SIDE = 24;
const NARROW_SIDE = 12;
const NARROW = 600;
/** The buttons of the view stand at its foot. */
const FOOT = 64;

/** The part of the pane that is free. */
const roomOf = ({ width, height, top }: Pane) => {
  const side = width < NARROW ? NARROW_SIDE : SIDE;
  // A pane that a panel has left low has no room to give away.
  const foot = height < NARROW / 2 ? NARROW_SIDE : FOOT;
  return { x: side, y: top, width: Math.max(1, width - 2 * side), height: Math.max(1, height - top - foot) };
};

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));

const zoomOf = ({ width, height }: Bounds, pane: Pane): number => {
  const room = roomOf(pane);
  return Math.min(room.width / width, room.height / height);
};

const unionOf = (first: Bounds, other: Bounds): Bounds => {
  const x = Math.min(first.x, other.x);
  const y = Math.min(first.y, other.y);
  return {
    x,
    y,
    width: Math.max(first.x + first.width, other.x + other.width) - x,
    height: Math.max(first.y + first.height, other.y + other.height) - y,
  };
};

/** Puts bounds into the middle of the room; where they are larger than it, what matters in them. */
const centre = (bounds: Bounds, main: Bounds, zoom: number, pane: Pane): Viewport => {
  const room = roomOf(pane);
  const { x, width } = bounds.width * zoom > room.width ? main : bounds;
  const { y, height } = bounds.height * zoom > room.height ? main : bounds;
  return {
    x: room.x + room.width / 2 - (x + width / 2) * zoom,
    y: room.y + room.height / 2 - (y + height / 2) * zoom,
    zoom,
  };
};

/** Shows bounds as large as they fit; of bounds that would be too small to be read, what matters and what comes after it. */
export const frameBounds = (bounds: Bounds, main: Bounds, pane: Pane): Viewport => {
  const zoom = clamp(zoomOf(bounds, pane), LEAST_READABLE, 1);
  const view = centre(bounds, main, zoom, pane);
  const room = roomOf(pane);
  return bounds.width * zoom > room.width ? { ...view, x: room.x - main.x * zoom } : view;
};

/** Shows bounds as large as they fit; of bounds that would be too small to be read, what is around the one that matters. */
export const frameAround = (bounds: Bounds, main: Bounds, pane: Pane): Viewport =>
  centre(bounds, main, clamp(zoomOf(bounds, pane), LEAST_READABLE, 1), pane);

type Start = {
  readonly all: Bounds;
  readonly near: Bounds;
  readonly root: Bounds;
  /** Whether boxes stand for many records. They are an overview, which is whole wherever there is some room. */
  readonly isGrouped: boolean;
};

/** The whole graph if it can be read then, or else the root with its neighbours, or as many of them as can be read. */
export const frameStart = ({ all, near, root, isGrouped }: Start, pane: Pane): Viewport => {
  const whole = zoomOf(all, pane);
  if (whole >= LEAST_READABLE || (isGrouped && pane.width >= NARROW))
    return centre(all, root, Math.min(1, whole), pane);
  const across = roomOf(pane).width / near.width;
  const zoom = clamp(Math.max(zoomOf(near, pane), Math.min(across, COMFORTABLE)), LEAST_READABLE, 1);
  return centre(near, root, zoom, pane);
};

export const isSameView = (one: Viewport, other: Viewport): boolean =>
  Math.abs(one.x - other.x) < 0.5 && Math.abs(one.y - other.y) < 0.5 && Math.abs(one.zoom - other.zoom) < 0.001;

/** How far a stretch has to move to lie within another; one that is too long begins where the other begins. */
const shiftOf = (from: number, length: number, start: number, room: number): number => {
  if (from < start || length > room) return start - from;
  return Math.min(0, start + room - (from + length));
};

/** Moves the view no farther than it must for bounds to be in it. */
export const keepInView = (view: Viewport, bounds: Bounds, pane: Pane): Viewport => {
  const room = roomOf(pane);
  const { zoom } = view;
  const x = shiftOf(view.x + bounds.x * zoom, bounds.width * zoom, room.x, room.width);
  const y = shiftOf(view.y + bounds.y * zoom, bounds.height * zoom, room.y, room.height);
  return { x: view.x + x, y: view.y + y, zoom };
};

/** Whether all of the bounds can be seen and read. */
export const isWholeInView = (view: Viewport, bounds: Bounds, pane: Pane): boolean =>
  view.zoom >= LEAST_READABLE &&
  view.zoom <= zoomOf(bounds, pane) + 0.001 &&
  isSameView(view, keepInView(view, bounds, pane));

/** Whether anything of the bounds can be seen. */
export const isVisible = ({ x, y, zoom }: Viewport, bounds: Bounds, { width, height }: Pane): boolean =>
  x + (bounds.x + bounds.width) * zoom > 0 &&
  x + bounds.x * zoom < width &&
  y + (bounds.y + bounds.height) * zoom > 0 &&
  y + bounds.y * zoom < height;

const middleOf = ({ x, y, width, height }: Bounds) => ({ x: x + width / 2, y: y + height / 2 });

const zoomAbout = (view: Viewport, bounds: Bounds, zoom: number): Viewport => {
  const { x, y } = middleOf(bounds);
  return { x: view.x + x * (view.zoom - zoom), y: view.y + y * (view.zoom - zoom), zoom };
};

/** The box and as many of those that came, the nearest first, as can be read at once. */
const boundsBeside = (box: Bounds, came: readonly Bounds[], zoom: number, pane: Pane): Bounds => {
  const room = roomOf(pane);
  const at = middleOf(box);
  const farOf = (one: Bounds) => Math.hypot(middleOf(one).x - at.x, middleOf(one).y - at.y);
  let wanted = box;
  for (const one of [...came].sort((a, b) => farOf(a) - farOf(b))) {
    const next = unionOf(wanted, one);
    if (next.width * zoom > room.width || next.height * zoom > room.height) break;
    wanted = next;
  }
  return wanted;
};

/** Shows what came beside a box: where there is room, nothing moves; else the view moves, or goes back, no farther than it must. */
export const showBeside = (view: Viewport, box: Bounds, came: readonly Bounds[], pane: Pane): Viewport => {
  const least = Math.min(view.zoom, LEAST_BESIDE);
  const wanted = boundsBeside(box, came, least, pane);
  const zoom = clamp(zoomOf(wanted, pane), least, view.zoom);
  return keepInView(zoomAbout(view, box, zoom), wanted, pane);
};

/** Columns are read and pressed at this size at least. */
const COLUMNS_ZOOM = 0.9;

/** On a phone, comes near to a box whose columns unfold: from afar nobody could hit one. */
export const comeNear = (view: Viewport, box: Bounds, pane: Pane): Viewport =>
  pane.width >= NARROW || view.zoom >= COLUMNS_ZOOM ? view : keepInView(zoomAbout(view, box, COLUMNS_ZOOM), box, pane);

/** Shows bounds whole, however small. */
export const frameWhole = (bounds: Bounds, pane: Pane): Viewport =>
  centre(bounds, bounds, Math.min(1, zoomOf(bounds, pane)), pane);
