import { useMemo } from 'react';
import type { LineageChoice } from './choice.ts';
import { type ColumnViews, drawBoxes, drawEdges, drawGraph } from './flow.ts';
import type { ShownGraph } from './graph-model.ts';
import { groupGraph, MEMBERS_AT_ONCE } from './groups.ts';
import type { Highlight } from './highlight.ts';
import type { ReadColumns } from './use-columns.ts';
import { usePlaces } from './use-places.ts';

type DrawnProps = {
  readonly graph: ShownGraph;
  readonly columns: ReadColumns;
  readonly choice: LineageChoice;
  readonly highlight: Highlight | undefined;
};

/** What a lineage view draws, step by step from the graph; each step is taken again only when what it is made from changes. */
export const useDrawing = ({ graph, columns: read, choice, highlight }: DrawnProps, views: ColumnViews) => {
  const { columns, lacksTrail, failure, again } = read;
  const { group, unfold, alone, picked, open } = choice;
  const { onTrail } = columns;
  const grouped = useMemo(() => {
    // A trail that can be looked at leads through records, not through groups.
    const trail = onTrail.size <= MEMBERS_AT_ONCE ? onTrail : [];
    const path = highlight?.nodes.keys() ?? [];
    return groupGraph(graph, { group, unfold, alone: [...alone, ...picked, ...trail, ...path], open });
  }, [graph, group, unfold, alone, picked, open, onTrail, highlight]);
  const drawing = useMemo(
    () => drawGraph(graph, grouped, columns, choice, views),
    [graph, grouped, columns, choice, views],
  );
  const { places, bends, tidy, failure: noPlaces } = usePlaces(drawing);
  const shown = useMemo(() => ({ drawing, choice, lacksTrail }), [drawing, choice, lacksTrail]);
  const boxes = useMemo(() => drawBoxes(shown, places ?? new Map()), [shown, places]);
  const edges = useMemo(() => drawEdges(shown, bends ?? new Map()), [shown, bends]);
  return {
    drawing,
    places,
    bends,
    tidy,
    boxes,
    edges,
    failure: failure ?? noPlaces,
    again: failure === undefined ? undefined : again,
  };
};
