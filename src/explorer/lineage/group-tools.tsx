import { Panel } from '@xyflow/react';
import { GROUPINGS, type Grouping, type LineageChoice } from './choice.ts';
import type { ShownGraph } from './graph-model.ts';
import { GROUPING_NAMES } from './group-box.tsx';
import { foldGroup, type GroupedGraph, groupingOf, MOST_BOXES, MOST_UNGROUPED } from './groups.ts';

/** By what a large graph is grouped, and which groups are unfolded. */

type ToolsProps = {
  readonly graph: ShownGraph;
  readonly grouped: GroupedGraph;
  readonly choice: LineageChoice;
  readonly change: (part: Partial<LineageChoice>) => void;
};

/** Below, nobody wants groups. */
const LEAST_TO_GROUP = 40;

const readAsked = (value: string): LineageChoice['group'] =>
  value === 'none' ? 'none' : GROUPINGS.find((one) => one === value);

const nameOf = (grouping: Grouping | undefined): string =>
  grouping === undefined ? 'not grouped' : `by ${GROUPING_NAMES[grouping].toLowerCase()}`;

export const hasGroupTools = ({ nodes }: ShownGraph, { group }: LineageChoice): boolean =>
  nodes.size >= LEAST_TO_GROUP || group !== undefined;

export const GroupTools = ({ graph, grouped, choice, change }: ToolsProps) => {
  const { size } = graph.nodes;
  if (!hasGroupTools(graph, choice)) return null;
  const byItself = groupingOf(graph, undefined);
  return (
    <Panel position="top-left" className={`group-tools${graph.isTruncated ? ' below-note' : ''}`}>
      <label>
        {size.toLocaleString()} assets
        <select
          className="nodrag"
          aria-label="Group assets"
          value={choice.group === 'none' && size > MOST_UNGROUPED ? '' : (choice.group ?? '')}
          onChange={({ target }) => change({ group: readAsked(target.value), unfold: [], alone: [] })}
        >
          <option value="">{nameOf(byItself)} (automatic)</option>
          {GROUPINGS.map((grouping) => (
            <option key={grouping} value={grouping}>
              {nameOf(grouping)}
            </option>
          ))}
          {(size > MOST_BOXES || choice.group !== undefined) && size <= MOST_UNGROUPED && (
            <option value="none">not grouped</option>
          )}
        </select>
      </label>
      {grouped.unfolded.map(({ path, name }) => (
        <button
          key={path}
          type="button"
          className="chip fold"
          aria-label={`Fold ${name}`}
          onClick={() => change({ unfold: foldGroup(choice.unfold, path) })}
        >
          {name} <span aria-hidden="true">×</span>
        </button>
      ))}
      {(grouped.unfolded.length > 1 || choice.alone.length > 0) && grouped.grouping && (
        <button type="button" className="chip fold" onClick={() => change({ unfold: [], alone: [] })}>
          Fold all
        </button>
      )}
    </Panel>
  );
};
