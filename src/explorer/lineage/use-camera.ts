import { useReactFlow, useStore, useStoreApi } from '@xyflow/react';
import { useCallback, useEffect, useRef } from 'react';
import type { Bends, Places } from '../layout/placement.ts';
import { findActed } from './acted.ts';
import { boundsOf } from './box-bounds.ts';
import { findNextView, findRestView, findSubjectView } from './camera-views.ts';
import type { LineageChoice } from './choice.ts';
import type { Drawing } from './flow.ts';
import { frameWhole, isSameView, type Viewport } from './framing.ts';
import type { Highlight } from './highlight.ts';

/** Keeps in sight what somebody looks at while boxes come, go and move, and panels open beside them. */

type CameraProps = {
  readonly drawing: Drawing;
  readonly places: Places | undefined;
  readonly bends: Bends | undefined;
  readonly choice: LineageChoice;
  readonly highlight: Highlight | undefined;
  /** How far from the top of the pane boxes begin. */
  readonly top: number;
  /** Called before the page shows everything, so that boxes which cannot be read from far away are not drawn. */
  readonly onFar: () => void;
};

type Former = {
  readonly places: Places;
  readonly choice: LineageChoice;
  readonly path: string;
  readonly acted: string | undefined;
  /** The boxes that were there before somebody acted on one, or moved the view since. */
  readonly known: Places;
};

const MOVE_MS = 250;

const hasMotion = (): boolean => !matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Moves the view, smoothly from where it is or from a view that looks the same to whoever acted. */
const useMove = () => {
  const { getViewport, setViewport } = useReactFlow();
  return useCallback(
    (next: Viewport, held?: Viewport) => {
      if (held && !isSameView(held, getViewport())) setViewport(held);
      if (isSameView(next, getViewport())) return;
      setViewport(next, held && hasMotion() ? { duration: MOVE_MS } : {});
    },
    [getViewport, setViewport],
  );
};

export const useCamera = (props: CameraProps) => {
  const { drawing, places, choice, highlight, onFar } = props;
  const { getViewport } = useReactFlow();
  const store = useStoreApi();
  const move = useMove();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const former = useRef<Former>(undefined);
  // Until somebody moves the view or acts on a box, every new graph begins at its start.
  const isMoved = useRef(false);
  const latest = useRef(props);
  latest.current = props;
  const standsOut = highlight?.nodes.keys() ?? drawing.columns.onTrail;
  const path = [...standsOut].filter((id) => places?.has(id)).join(' ');
  const { asset, edge } = choice;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is chosen moves the view only when it changes.
  useEffect(() => {
    if (!places || width === 0) return;
    const now = latest.current;
    const laidOut = { drawing: now.drawing, places, bends: now.bends };
    const pane = { width, height, top: now.top };
    const was = former.current;
    const act = was && findActed(was.choice, now.choice, now.drawing.graph);
    const acted = act ?? was?.acted;
    const known = act === undefined ? (was?.known ?? places) : (was?.places ?? places);
    former.current = { places, choice: now.choice, path, acted, known };
    if (was && acted !== was.acted) isMoved.current = true;
    // A path that was chosen, or the trail of a column that was lit, is looked at anew.
    if (path !== '' && path !== was?.path) isMoved.current = false;
    const isRelaid = !was || was.places !== places || path !== was.path;
    const view = getViewport();
    const subject = isRelaid ? undefined : findSubjectView(laidOut, now.choice, view, pane);
    if (subject) move(subject, view);
    else if (!isMoved.current) move(findRestView(laidOut, now, pane, was && view) ?? view, was && view);
    else if (was && was.places !== places) {
      const isUnfolding = acted !== undefined && now.choice.open.includes(acted) && !was.choice.open.includes(acted);
      const { held, next } = findNextView(laidOut, { places: was.places, known, acted, isUnfolding, view }, pane);
      move(next, held);
    }
  }, [places, width, height, path, asset, edge]);
  const showAll = useCallback(() => {
    if (!places) return;
    isMoved.current = true;
    const { width: wide, height: high } = store.getState();
    const { drawing: now, bends, top } = latest.current;
    const view = frameWhole(boundsOf(now.boxes, places, bends), { width: wide, height: high, top });
    onFar();
    requestAnimationFrame(() => move(view));
  }, [places, move, onFar, store]);
  const onMoved = useCallback(() => {
    isMoved.current = true;
    if (former.current) former.current = { ...former.current, known: former.current.places };
  }, []);
  const restart = useCallback(() => {
    isMoved.current = false;
  }, []);
  return { showAll, onMoved, restart };
};
