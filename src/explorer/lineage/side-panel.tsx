import { AssetPanel } from './asset-panel.tsx';
import { type LineageChoice, toggleColumn } from './choice.ts';
import { EdgeDetails } from './edge-details.tsx';
import { FailingPanel } from './failing-panel.tsx';
import type { ShownGraph } from './graph-model.ts';
import { readStep } from './graph-query.ts';
import { ImpactPanel } from './impact-panel.tsx';
import { NeighbourPicker } from './neighbour-picker.tsx';
import type { ShownColumns } from './shown-columns.ts';
import type { useFailing } from './use-failing.ts';
import type { useImpact } from './use-impact.ts';

type SideProps = {
  readonly graph: ShownGraph;
  readonly columns: ShownColumns;
  readonly choice: LineageChoice;
  readonly change: (part: Partial<LineageChoice>) => void;
  readonly impact?: ReturnType<typeof useImpact>;
  readonly failing?: ReturnType<typeof useFailing>;
};

/** What stands beside the graph: an edge or a record that was chosen, or else what was asked about the lineage. */
export const SidePanel = ({ graph, columns, choice, change, impact, failing }: SideProps) => {
  const edge = choice.edge === undefined ? undefined : graph.edges.get(choice.edge);
  const node = choice.asset === undefined ? undefined : graph.nodes.get(choice.asset);
  const root = graph.nodes.get(graph.rootId);
  if (edge)
    return (
      <EdgeDetails
        key={choice.edge}
        graph={graph}
        edge={edge}
        columns={columns}
        choice={choice}
        onColumn={(column, id) => change(toggleColumn(choice, column, id))}
        onClose={() => change({ edge: undefined })}
      />
    );
  const from = choice.picking === undefined ? undefined : readStep(choice.picking);
  const origin = from && graph.nodes.get(from.id);
  if (origin && !origin.hidden)
    return (
      <NeighbourPicker
        key={choice.picking}
        graph={graph}
        origin={origin}
        direction={from.direction}
        choice={choice}
        change={change}
      />
    );
  if (node) return <AssetPanel key={node.id} graph={graph} node={node} choice={choice} change={change} />;
  if (choice.change && impact) return <ImpactPanel impact={impact} choice={choice} change={change} />;
  if (choice.isFailing && failing && root)
    return <FailingPanel root={root} failing={failing} onClose={() => change({ isFailing: false })} />;
  return null;
};
