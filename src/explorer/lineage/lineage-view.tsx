import {
  Background,
  type Edge,
  type EdgeTypes,
  MiniMap,
  type NodeMouseHandler,
  type NodeTypes,
  ReactFlow,
  ReactFlowProvider,
  useStore,
} from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useMemo, useState } from 'react';
import '@xyflow/react/dist/base.css';
import { Failure } from '../parts/states.tsx';
import { useRemembered } from '../parts/use-remembered.ts';
import { AssetBox } from './asset-box.tsx';
import type { LineageChoice } from './choice.ts';
import { CurrentBoxProvider } from './current-box.ts';
import { edgeKeyOf } from './edge-key.ts';
import { FarPicture } from './far-picture.tsx';
import type { Drawing, LineageBox } from './flow.ts';
import { SMALL_ZOOM } from './framing.ts';
import { GraphKeys } from './graph-keys.tsx';
import type { ShownGraph } from './graph-model.ts';
import { GroupBox } from './group-box.tsx';
import { GroupPanels } from './group-panels.tsx';
import { GroupTools, hasGroupTools } from './group-tools.tsx';
import { type Highlight, highlightBoxes, highlightEdges, labelBoxes } from './highlight.ts';
import { Line, type LineEdge } from './line.tsx';
import { LineMarks } from './line-marks.tsx';
import { LineageActionsProvider } from './lineage-actions.ts';
import { SmallMap } from './small-map.tsx';
import type { DrawnGraph } from './take-picture.ts';
import { useCamera } from './use-camera.ts';
import type { ReadColumns } from './use-columns.ts';
import { useDrawing } from './use-drawing.ts';
import { useLineageControl } from './use-lineage-actions.ts';
import { ViewControls } from './view-controls.tsx';
import './lineage.css';
import './group-tools.css';

/**
 * The lineage as a graph. `use-drawing.ts` shows how it is made: columns are read (`use-columns.ts`), records grouped
 * (`groups.ts`), boxes placed in a worker (`../layout`), and all of it turned into boxes and edges (`flow.ts`).
 */

const NODE_TYPES: NodeTypes = { asset: AssetBox, assetGroup: GroupBox };
const EDGE_TYPES: EdgeTypes = { line: Line };

type ViewProps = {
  readonly graph: ShownGraph;
  readonly columns: ReadColumns;
  readonly choice: LineageChoice;
  readonly change: (part: Partial<LineageChoice>) => void;
  readonly highlight: Highlight | undefined;
  /** Where what is drawn is kept, so that others can take a picture of it. */
  readonly drawn?: RefObject<DrawnGraph>;
};

/** Farther away than this, names cannot be read; of more boxes than these a picture is drawn instead. */
const FAR_ZOOM = 0.35;
const MOST_BOXES_FROM_FAR = 300;
const LEAVING_MS = 300;
/** Where boxes begin below the edge of the view, and below the tools and the note on a trail that may stand there. */
const TOP = 24;
const BELOW_TOOLS = 68;
/** A hand that presses moves so many pixels without meaning to. */
const CLICK_DISTANCE = 4;
const SMALL_MAP_SIZE = { width: 150, height: 100 };
const NO_BOXES: LineageBox[] = [];

/** Whether a picture is drawn in place of boxes. Who is about to go far says so before, so that no boxes are drawn on the way. */
const useFar = (boxes: number) => {
  const isZoomedOut = useStore(({ transform }) => transform[2] < FAR_ZOOM);
  const [isLeaving, setLeaving] = useState(false);
  const isMany = boxes > MOST_BOXES_FROM_FAR;
  useEffect(() => {
    if (!isLeaving) return;
    const timer = setTimeout(() => setLeaving(false), LEAVING_MS);
    return () => clearTimeout(timer);
  }, [isLeaving]);
  const goFar = useCallback(() => {
    if (isMany) setLeaving(true);
  }, [isMany]);
  return { isMany, isFar: isMany && (isZoomedOut || isLeaving), goFar };
};

const WIDE = '(min-width: 701px)';

/** Whether a map of the graph is shown: as was chosen before in this browser, else for graphs that are far larger than the view. */
const useMapChoice = (isMany: boolean) => {
  const [isMap, setMap] = useRemembered('tributary.lineage.map', isMany && matchMedia(WIDE).matches);
  return { isMap, setMap };
};

/** The box to which the tab key leads: the last one that had the focus, or at first that of the asset of the page. */
const useCurrent = ({ graph: { rootId }, grouped: { boxOf }, boxes }: Drawing) => {
  const [last, setCurrent] = useState<string>();
  const isThere = last !== undefined && boxes.some(({ id }) => id === last);
  return { current: isThere ? last : (boxOf.get(rootId) ?? ''), setCurrent };
};

/** What is drawn, with names for those who do not see it, and with the path that stands out. */
const useMarked = (
  { graph, highlight, choice, drawn }: ViewProps,
  boxes: LineageBox[],
  edges: LineEdge[],
  current: string,
) => {
  const named = useMemo(() => highlightBoxes(labelBoxes(boxes, graph), highlight), [boxes, graph, highlight]);
  const marked = useMemo(
    () => named.map((box) => ({ ...box, domAttributes: { tabIndex: box.id === current ? 0 : -1 } })),
    [named, current],
  );
  const lines = useMemo(() => highlightEdges(edges, highlight, choice.edge), [edges, highlight, choice.edge]);
  useEffect(() => {
    if (drawn) drawn.current = { boxes: marked, edges: lines, isCut: graph.isTruncated };
  }, [drawn, marked, lines, graph.isTruncated]);
  return { marked, lines };
};

const View = (props: ViewProps) => {
  const { graph, choice, change, highlight } = props;
  const { actions, views, listed, setListed } = useLineageControl(choice, change);
  const { drawing, places, bends, tidy, boxes, edges, failure, again } = useDrawing(props, views);
  const { current, setCurrent } = useCurrent(drawing);
  const { marked, lines } = useMarked(props, boxes, edges, current);
  const { isMany, isFar, goFar } = useFar(drawing.boxes.length);
  const top = hasGroupTools(graph, choice) || choice.column !== undefined ? BELOW_TOOLS : TOP;
  const { showAll, onMoved, restart } = useCamera({ drawing, places, bends, choice, highlight, top, onFar: goFar });
  const { isMap, setMap } = useMapChoice(isMany);
  const isSmall = useStore(({ transform }) => transform[2] < SMALL_ZOOM);
  const onTidy = (): void => {
    restart();
    tidy?.();
  };
  const onEdge = (edge: string) => change({ edge, asset: undefined });
  const openEdge = ({ source, target }: Pick<Edge, 'source' | 'target'>): void => {
    const id = edgeKeyOf(source, target);
    const bundled = drawing.grouped.bundles.get(id)?.edges ?? [];
    if (bundled.length > 1) setListed({ what: 'bundle', id });
    else onEdge(bundled[0]?.[0] ?? id);
  };
  const onNodeClick: NodeMouseHandler = (event, { id }) => {
    // Links and buttons of a box do their own.
    const isOwn = event.target instanceof Element && event.target.closest('a, button, input');
    if (isOwn) return;
    if (graph.nodes.has(id)) change({ asset: id, edge: undefined });
    else if (drawing.grouped.groups.has(id)) actions.onMembers(id);
  };
  return (
    <LineageActionsProvider value={actions}>
      <CurrentBoxProvider value={current}>
        <ReactFlow
          nodes={isFar ? NO_BOXES : marked}
          edges={isFar ? [] : lines}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          onEdgeClick={(_, edge) => openEdge(edge)}
          onNodeClick={onNodeClick}
          // Moves that nobody made have no event.
          onMoveStart={(event) => {
            if (event) onMoved();
          }}
          // Lines have the default class, and one hardly drags a dense graph without touching a line.
          noPanClassName="holds-still"
          paneClickDistance={CLICK_DISTANCE}
          disableKeyboardA11y
          edgesFocusable={false}
          onlyRenderVisibleElements
          nodesConnectable={false}
          nodesDraggable={false}
          minZoom={0.01}
          proOptions={{ hideAttribution: true }}
          className={isSmall ? 'is-small' : ''}
        >
          <GraphKeys {...{ graph, choice, change, showAll, current }} onEdge={openEdge} onCurrent={setCurrent} />
          <ViewControls showAll={showAll} onZoom={onMoved} isMap={isMap} onMap={setMap} tidy={tidy && onTidy} />
          {isFar && places && <FarPicture drawing={drawing} places={places} bends={bends} />}
          <Background />
          <LineMarks />
          {isMap && !isMany && <MiniMap pannable zoomable style={SMALL_MAP_SIZE} />}
          {isMap && isMany && places && <SmallMap drawing={drawing} places={places} />}
          <GroupTools graph={graph} grouped={drawing.grouped} choice={choice} change={change} />
        </ReactFlow>
      </CurrentBoxProvider>
      {failure !== undefined && (
        <div className="lineage-failure">
          <Failure failure={failure} again={again} />
        </div>
      )}
      <GroupPanels drawing={drawing} listed={listed} onEdge={onEdge} onClose={() => setListed(undefined)} />
    </LineageActionsProvider>
  );
};

export const LineageView = (props: ViewProps) => (
  <ReactFlowProvider>
    <View {...props} />
  </ReactFlowProvider>
);
