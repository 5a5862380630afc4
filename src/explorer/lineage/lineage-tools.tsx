import { type RefObject, useState } from 'react';
import { Link } from 'wouter';
import { pathsAddress } from '../addresses.ts';
import { useSettings } from '../api/settings.ts';
import type { LineageNode } from '../api/types.ts';
import type { LineageChoice } from './choice.ts';
import { ExportMenu } from './export-menu.tsx';
import { Filters } from './filters.tsx';
import { columnName, recordName } from './names.ts';
import type { DrawnGraph } from './take-picture.ts';

type ToolsProps = {
  readonly type: string;
  readonly fqn: string;
  readonly root: LineageNode | undefined;
  readonly drawn: RefObject<DrawnGraph>;
  readonly choice: LineageChoice;
  readonly change: (part: Partial<LineageChoice>) => void;
  readonly isTime: boolean;
  readonly onTime: (isTime: boolean) => void;
};

type DepthProps = { readonly name: string; readonly depth: number; readonly onDepth: (depth: number) => void };

const Depth = ({ name, depth, onDepth }: DepthProps) => (
  <label>
    {name}
    <input
      type="number"
      min={0}
      max={useSettings()?.limits.lineageDepth}
      value={depth}
      onChange={({ target }) => {
        if (target.validity.valid && target.value !== '') onDepth(target.valueAsNumber);
      }}
    />
  </label>
);

type ToggleProps = { readonly name: string; readonly isOn: boolean; readonly onToggle: () => void };

const Toggle = ({ name, isOn, onToggle }: ToggleProps) => (
  <button type="button" className="button" aria-pressed={isOn} onClick={onToggle}>
    {name}
  </button>
);

/** The tools that a phone shows only when they are asked for. */
const RareTools = ({ type, fqn, root, drawn, choice, change }: ToolsProps) => (
  <>
    <Depth name="Upstream" depth={choice.upstream} onDepth={(upstream) => change({ upstream })} />
    <Depth name="Downstream" depth={choice.downstream} onDepth={(downstream) => change({ downstream })} />
    <Toggle
      name="Failing upstream"
      isOn={choice.isFailing}
      onToggle={() =>
        change({
          isFailing: !choice.isFailing,
          edge: undefined,
          asset: undefined,
          reached: undefined,
          change: undefined,
        })
      }
    />
    <Link className="button" href={pathsAddress({ type, fqn })}>
      Paths
    </Link>
    <ExportMenu type={type} fqn={fqn} name={root ? recordName(root) : fqn} choice={choice} drawn={drawn} />
  </>
);

/** How far the lineage goes, of what time it is, what is asked about it, and whether it is a graph or a list. */
export const LineageTools = (props: ToolsProps) => {
  const { type, fqn, choice, change, isTime, onTime } = props;
  const [hasMore, setMore] = useState(false);
  return (
    <>
      <Filters type={type} fqn={fqn} choice={choice} change={change} />
      <Toggle name="Time" isOn={isTime} onToggle={() => onTime(!isTime)} />
      <Toggle
        name="What if"
        isOn={choice.change !== undefined}
        onToggle={() =>
          change({ change: choice.change ? undefined : 'drop', reached: undefined, edge: undefined, asset: undefined })
        }
      />
      <Toggle
        name={choice.isList ? 'Graph' : 'List'}
        isOn={choice.isList}
        onToggle={() => change({ isList: !choice.isList })}
      />
      <button
        type="button"
        className="button more-tools"
        aria-expanded={hasMore}
        aria-controls="rare-tools"
        onClick={() => setMore(!hasMore)}
      >
        More <span aria-hidden="true">{hasMore ? '▴' : '▾'}</span>
      </button>
      <div id="rare-tools" className={`rare-tools${hasMore ? ' is-open' : ''}`}>
        <RareTools {...props} />
      </div>
      {choice.column !== undefined && (
        <button type="button" className="button" onClick={() => change({ column: undefined })}>
          Unlight {columnName(choice.column, undefined)}
        </button>
      )}
    </>
  );
};
