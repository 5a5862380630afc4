import { type Edge, type Node, type ReactFlowInstance, useReactFlow, useStoreApi } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import type { LineageChoice } from './choice.ts';
import { hasColumns } from './columns.ts';
import type { Direction, ShownGraph } from './graph-model.ts';
import { goOn } from './graph-query.ts';
import { type LineageActions, useLineageActions } from './lineage-actions.ts';
import { ARROWS, edgesOfBox, findNext, type Placed, stepEdge } from './steer.ts';

/** The keys of the graph: arrows from box to box, and single letters for what its buttons do. */

type Flow = ReactFlowInstance<Node, Edge>;

const placedBoxes = (flow: Flow): readonly Placed[] =>
  flow.getNodes().map(({ id, position, width, height, measured }) => ({
    id,
    ...position,
    width: width ?? measured?.width ?? 0,
    height: height ?? measured?.height ?? 0,
  }));

/** A box that is out of sight is drawn only after the view has moved to it. */
const FRAMES_UNTIL_DRAWN = 30;

const focusWhenDrawn = (root: ParentNode, selector: string, frames = FRAMES_UNTIL_DRAWN): void => {
  const found = root.querySelector<HTMLElement | SVGElement>(selector);
  if (found) found.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusWhenDrawn(root, selector, frames - 1));
};

/** How near to the edge of the view a box may be before the view follows it. */
const MARGIN = 24;

type Pane = { readonly domNode: HTMLElement | null; readonly width: number; readonly height: number };

/** Moves the view to a box that is not whole in it. */
const bringIntoView = (flow: Flow, { width, height }: Pane, id: string): void => {
  const box = placedBoxes(flow).find((placed) => placed.id === id);
  if (!box) return;
  const { x, y, zoom } = flow.getViewport();
  const left = box.x * zoom + x;
  const top = box.y * zoom + y;
  const isInView =
    left >= MARGIN &&
    top >= MARGIN &&
    left + box.width * zoom <= width - MARGIN &&
    top + box.height * zoom <= height - MARGIN;
  if (!isInView) flow.setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom });
};

const goTo = (flow: Flow, pane: Pane, id: string): void => {
  bringIntoView(flow, pane, id);
  if (pane.domNode) focusWhenDrawn(pane.domNode, `.react-flow__node[data-id="${CSS.escape(id)}"]`);
};

type KeysProps = {
  readonly graph: ShownGraph;
  readonly choice: LineageChoice;
  readonly change: (part: Partial<LineageChoice>) => void;
  readonly onEdge: (edge: Pick<Edge, 'source' | 'target'>) => void;
  readonly showAll: () => void;
  /** The box to which the tab key leads. */
  readonly current: string;
  readonly onCurrent: (id: string) => void;
};

const unfold = ({ graph, choice, change }: KeysProps, direction: Direction, id: string): void => {
  const count = graph.hidden.get(id)?.[direction] ?? 0;
  if (count > 0) change(goOn(choice, direction, id, count));
};

/** What a letter does with the group that has the focus; false for letters that mean nothing. */
const actOnGroup = ({ onMembers }: LineageActions, key: string, path: string): boolean => {
  if (key === 'Enter') onMembers(path);
  else if (key === 'u') onMembers(path, 'upstream');
  else if (key === 'd') onMembers(path, 'downstream');
  else return false;
  return true;
};

/** What a letter does with the box that has the focus; false for letters that mean nothing. */
const actOn = (props: KeysProps, actions: LineageActions, key: string, id: string): boolean => {
  const { graph, choice, change } = props;
  if (!graph.nodes.has(id)) return actOnGroup(actions, key, id);
  if (key === 'Enter') change({ asset: id, edge: undefined });
  else if (key === 'u') unfold(props, 'upstream', id);
  else if (key === 'd') unfold(props, 'downstream', id);
  else if (key === 'c' && hasColumns(graph.nodes.get(id)?.type)) {
    const { open } = choice;
    change({ open: open.includes(id) ? open.filter((other) => other !== id) : [...open, id] });
  } else return false;
  return true;
};

/** Goes from one edge of a box to another. */
const goToEdge = (flow: Flow, pane: Pane, box: string, from: string | undefined, steps: 1 | -1): void => {
  const next = stepEdge(edgesOfBox(placedBoxes(flow), flow.getEdges(), box), from, steps);
  if (!next || !pane.domNode) return;
  // Edges of boxes that are out of sight are not drawn.
  bringIntoView(flow, pane, box);
  focusWhenDrawn(pane.domNode, `.react-flow__edge[data-id="${CSS.escape(next.id)}"]`);
};

type EdgeFocus = {
  readonly flow: Flow;
  readonly pane: Pane;
  readonly edge: Edge;
  /** The box whose edges one goes through. */
  readonly box: string;
  readonly onEdge: KeysProps['onEdge'];
};

/** What a key does on the edge that has the focus; false for keys that mean nothing. */
const actOnEdge = ({ flow, pane, edge, box, onEdge }: EdgeFocus, key: string, isBackward: boolean): boolean => {
  if (key === 'Enter' || key === ' ') onEdge(edge);
  else if (key === 'ArrowLeft') goTo(flow, pane, edge.source);
  else if (key === 'ArrowRight') goTo(flow, pane, edge.target);
  else if (key === 'Escape') goTo(flow, pane, box);
  else if (key === 'ArrowUp') goToEdge(flow, pane, box, edge.id, -1);
  else if (key === 'ArrowDown') goToEdge(flow, pane, box, edge.id, 1);
  else if (key.toLowerCase() === 'e') goToEdge(flow, pane, box, edge.id, isBackward ? -1 : 1);
  else return false;
  return true;
};

/** Which box or edge an event comes from. Buttons and links inside of a box have their own keys. */
const readPlace = (target: EventTarget | null) => {
  if (!(target instanceof Element)) return undefined;
  const edge = target.closest('.react-flow__edge')?.getAttribute('data-id') ?? undefined;
  const box = target.closest('.react-flow__node')?.getAttribute('data-id') ?? undefined;
  return { edge, box, isBox: target.classList.contains('react-flow__node') };
};

/** The box in which the focus is becomes the one to which the tab key leads. */
const useCurrentBox = ({ onCurrent }: KeysProps): void => {
  const store = useStoreApi();
  useEffect(() => {
    const { domNode } = store.getState();
    const onFocus = ({ target }: FocusEvent): void => {
      const id = readPlace(target)?.box;
      if (id !== undefined) onCurrent(id);
    };
    domNode?.addEventListener('focusin', onFocus);
    return () => domNode?.removeEventListener('focusin', onFocus);
  }, [store, onCurrent]);
};

/** Listens to the keys on the boxes and edges of the graph in which it stands, and leads into it. */
export const GraphKeys = (props: KeysProps) => {
  const flow = useReactFlow();
  const store = useStoreApi();
  useCurrentBox(props);
  const actions = useLineageActions();
  const latestBox = useRef<string>(undefined);
  useEffect(() => {
    const { domNode } = store.getState();
    const onBox = (pane: Pane, key: string, id: string, isBox: boolean): boolean => {
      const arrow = ARROWS.find((one) => one === key);
      const letter = key.length === 1 ? key.toLowerCase() : key;
      latestBox.current = id;
      if (arrow) {
        const next = findNext(placedBoxes(flow), flow.getEdges(), id, arrow);
        if (next) goTo(flow, pane, next);
      } else if (letter === 'f') props.showAll();
      else if (letter === 'r') goTo(flow, pane, props.graph.rootId);
      else if (letter === 'e') goToEdge(flow, pane, id, undefined, 1);
      else return isBox && actOn(props, actions, letter, id);
      return true;
    };
    const onKey = (event: KeyboardEvent): void => {
      const place = readPlace(event.target);
      if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
      const { width, height } = store.getState();
      const pane = { domNode, width, height };
      const edge = place.edge === undefined ? undefined : flow.getEdge(place.edge);
      if (edge) {
        const latest = latestBox.current ?? '';
        const box = [edge.source, edge.target].includes(latest) ? latest : edge.target;
        if (!actOnEdge({ flow, pane, edge, box, onEdge: props.onEdge }, event.key, event.shiftKey)) return;
      } else if (place.box === undefined || !onBox(pane, event.key, place.box, place.isBox)) return;
      event.preventDefault();
    };
    domNode?.addEventListener('keydown', onKey);
    return () => domNode?.removeEventListener('keydown', onKey);
  }, [flow, store, actions, props]);
  // Boxes out of sight are not drawn, so the tab key alone would not find one.
  const enter = (): void => {
    const { domNode, width, height } = store.getState();
    goTo(flow, { domNode, width, height }, props.current);
  };
  return (
    <button type="button" className="button graph-entry" onClick={enter}>
      Into the graph, where arrows lead from box to box
    </button>
  );
};
