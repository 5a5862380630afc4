import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import type { Grouping } from './choice.ts';
import { useTabStop } from './current-box.ts';
import type { Direction } from './graph-model.ts';
import { countKinds } from './group-words.ts';
import { type Group, MEMBERS_AT_ONCE } from './groups.ts';
import { useLineageActions } from './lineage-actions.ts';
import { MoreButton } from './more-button.tsx';
import './group-box.css';

/** Many records in one box, with how many there are of each kind. */

export type GroupBoxNode = Node<
  { readonly group: Group; readonly lit: number; readonly isFaded: boolean },
  'assetGroup'
>;

export const GROUPING_NAMES: Readonly<Record<Grouping, string>> = {
  schema: 'Schema',
  service: 'Service',
  domain: 'Domain',
};

type FurtherProps = { readonly group: Group; readonly direction: Direction };

/** How many neighbours beyond the graph the members have; it leads to the members that have them. */
const Further = ({ group: { path, name, further, isCut }, direction }: FurtherProps) => {
  const { onMembers } = useLineageActions();
  return (
    <MoreButton
      direction={direction}
      count={further[direction]}
      isCut={isCut}
      label={`${further[direction].toLocaleString()} more ${direction} of ${name}`}
      onMore={() => onMembers(path, direction)}
    />
  );
};

const GroupBoxView = ({ data: { group, lit, isFaded } }: NodeProps<GroupBoxNode>) => {
  const { onUnfold, onMembers } = useLineageActions();
  const tabIndex = useTabStop();
  const { path, name, grouping, members, unfolded, failing, hasGroups } = group;
  const isMany = !hasGroups && members.length > MEMBERS_AT_ONCE;
  return (
    <section className={`box group${isFaded ? ' faded' : ''}${lit > 0 ? ' on-trail' : ''}`} aria-label={name}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Further group={group} direction="upstream" />
      <span className="box-kind">
        {GROUPING_NAMES[grouping]}
        {unfolded > 0 ? ` · ${unfolded.toLocaleString()} more shown` : ''}
      </span>
      <span className="group-name" title={name}>
        {name}
      </span>
      <span className="group-kinds">
        {countKinds(group.kinds)}
        {failing > 0 && <span className="chip bad">{failing.toLocaleString()} failing</span>}
        {lit > 0 && <span className="chip">{lit.toLocaleString()} on the trail</span>}
      </span>
      <span className="group-actions">
        <button type="button" className="box-toggle nodrag" tabIndex={tabIndex} onClick={() => onUnfold(path)}>
          {isMany ? `Show ${MEMBERS_AT_ONCE} of them` : 'Unfold'}
        </button>
        <button type="button" className="box-toggle nodrag" tabIndex={tabIndex} onClick={() => onMembers(path)}>
          List all
        </button>
      </span>
      <Further group={group} direction="downstream" />
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </section>
  );
};

export const GroupBox = memo(
  GroupBoxView,
  ({ data: one }, { data: other }) =>
    one.group === other.group && one.lit === other.lit && one.isFaded === other.isFaded,
);
