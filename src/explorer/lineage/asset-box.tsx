import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { Fragment, memo } from 'react';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import type { LineageNode } from '../api/types.ts';
import { looksOf } from '../parts/kind-looks.ts';
import { BoxBadges, BoxKind } from './box-badges.tsx';
import { BoxColumns } from './box-columns.tsx';
import { hasColumns } from './columns.ts';
import { useTabStop } from './current-box.ts';
import type { Direction, Fate } from './graph-model.ts';
import { useLineageActions } from './lineage-actions.ts';
import { MoreButton } from './more-button.tsx';
import { recordName } from './names.ts';
import type { ColumnPage } from './shown-columns.ts';
import './asset-box.css';

/** One record in the graph, with the columns that were asked for. */

export type BoxData = {
  readonly record: LineageNode;
  readonly isRoot: boolean;
  readonly page: ColumnPage | undefined;
  readonly isOpen: boolean;
  readonly isWaiting: boolean;
  readonly isFaded: boolean;
  readonly hidden: Readonly<Record<Direction, number>>;
  readonly isCut: boolean;
  readonly fate: Fate | undefined;
};

export type AssetBoxNode = Node<BoxData, 'asset'>;

/** Long names break after what joins their words. */
const partsOf = (name: string): readonly string[] => name.split(/(?<=[_.-])/);

/** From afar, longer words have no room in large letters. */
const LONG_WORD = 9;
const hasLongWord = (name: string): boolean =>
  partsOf(name).some((part) => part.split(' ').some((word) => word.length > LONG_WORD));

const BreakableName = ({ name }: { readonly name: string }) =>
  partsOf(name).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name have no other identity.
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));

const Lock = () => (
  <svg className="box-lock" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
    <rect x="3" y="7" width="10" height="7" rx="1.5" />
    <path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2" />
  </svg>
);

const HiddenBox = ({ type }: Pick<LineageNode, 'type'>) => (
  <div className="box hidden">
    <Handle type="target" position={Position.Left} isConnectable={false} />
    <Lock />
    <span className="box-kind">{recordName({ type, hidden: true })}</span>
    <Handle type="source" position={Position.Right} isConnectable={false} />
  </div>
);

const AssetBoxView = ({ data }: NodeProps<AssetBoxNode>) => {
  const { record, page, hidden, isCut } = data;
  const { onToggle, onMore } = useLineageActions();
  const tabIndex = useTabStop();
  if (record.hidden) return <HiddenBox type={record.type} />;
  const moreAt = (direction: Direction) => (
    <MoreButton
      direction={direction}
      count={hidden[direction]}
      isCut={isCut}
      label={`Show ${hidden[direction]} more ${direction}`}
      onMore={() => onMore(direction, record.id, hidden[direction])}
    />
  );
  return (
    <div
      className={`box of-kind family-${looksOf(record.type).family}${data.isRoot ? ' root' : ''}${data.isFaded ? ' faded' : ''} ${data.fate ?? ''}`}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {moreAt('upstream')}
      <div className="box-head">
        <BoxKind record={record} fate={data.fate} />
        <Link
          className={`box-name nodrag${hasLongWord(recordName(record)) ? ' long' : ''}`}
          title={recordName(record)}
          tabIndex={tabIndex}
          href={assetAddress(record.type, record.fullyQualifiedName ?? '')}
        >
          <BreakableName name={recordName(record)} />
        </Link>
        <span className="box-badges">
          <BoxBadges record={record} fate={data.fate} />
          {hasColumns(record.type) && (
            <button
              type="button"
              className="box-toggle nodrag"
              tabIndex={tabIndex}
              aria-label={data.isOpen ? 'Hide columns' : 'Show columns'}
              aria-expanded={data.isOpen}
              onClick={() => onToggle(record.id)}
            >
              <span className="box-word">Columns </span>
              <span aria-hidden="true">{data.isOpen ? '▴' : '▾'}</span>
            </button>
          )}
        </span>
      </div>
      {page && <BoxColumns id={record.id} page={page} isWaiting={data.isWaiting} />}
      {moreAt('downstream')}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
};

const FIELDS = ['record', 'isRoot', 'page', 'isOpen', 'isWaiting', 'isFaded', 'hidden', 'isCut', 'fate'] as const;

/** Of thousands of boxes, a step changes a few. */
export const AssetBox = memo(AssetBoxView, ({ data: one }, { data: other }) =>
  FIELDS.every((field) => one[field] === other[field]),
);
