import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import type { LineageNode } from '../api/types.ts';
import { GrowingList } from '../parts/growing-list.tsx';
import { Failure, Waiting } from '../parts/states.tsx';
import { Neighbours } from './asset-panel.tsx';
import { type LineageChoice, toggleColumn } from './choice.ts';
import { hasColumns } from './columns.ts';
import { FATE_NAMES, findColumnOwner, type ShownGraph } from './graph-model.ts';
import type { Highlight } from './highlight.ts';
import { listRows } from './list-rows.ts';
import { kindName, recordName } from './names.ts';
import { RecordLink } from './record-link.tsx';
import { listColumns } from './shown-columns.ts';
import { StateChips } from './state-chips.tsx';
import type { ReadColumns } from './use-columns.ts';
import './lineage-list.css';

/** The same graph as a list, for those who read rather than look. Everything that boxes and edges say is in it. */

type ListProps = {
  readonly graph: ShownGraph;
  readonly columns: ReadColumns;
  readonly choice: LineageChoice;
  readonly change: (part: Partial<LineageChoice>) => void;
  readonly highlight: Highlight | undefined;
};

type RecordProps = ListProps & { readonly record: LineageNode };

const Columns = ({ record, columns: { columns }, choice, change }: RecordProps) => {
  const { id, type, fullyQualifiedName: fqn } = record;
  const isOpen = choice.open.includes(id);
  const shown = isOpen || columns.joined.has(id) ? listColumns(columns, { id, fqn, isOpen }) : [];
  const isWaiting = isOpen && !columns.own.has(id);
  return (
    <>
      {hasColumns(type) && !record.hidden && (
        <button
          type="button"
          className="link-button"
          aria-expanded={isOpen}
          onClick={() => change({ open: isOpen ? choice.open.filter((other) => other !== id) : [...choice.open, id] })}
        >
          {isOpen ? 'Hide columns' : 'Show columns'}
        </button>
      )}
      {isWaiting && <Waiting what="the columns" />}
      {shown.length > 0 && (
        <GrowingList
          className="list-columns"
          label={`Columns of ${recordName(record)}`}
          items={shown}
          keyOf={({ fqn: column }) => column}
          row={({ name, fqn: column, isLit }) => (
            <button
              type="button"
              className="column-name"
              aria-pressed={isLit}
              onClick={() => change(toggleColumn(choice, column, id))}
            >
              {name}
            </button>
          )}
        />
      )}
    </>
  );
};

const RecordRow = (props: RecordProps) => {
  const { graph, record, choice, change, highlight } = props;
  const fate = graph.fates.get(record.id);
  const joined = { graph, id: record.id, choice, change };
  return (
    <div className={`list-record${record.id === graph.rootId ? ' root' : ''}`}>
      <div className="row">
        <strong>
          <RecordLink record={record} />
        </strong>
        <span className="quiet">
          {[kindName(record.type), record.service && recordName(record.service)].filter(Boolean).join(' · ')}
        </span>
        {fate && <span className={`chip ${fate === 'went' ? 'bad' : 'good'}`}>{FATE_NAMES[fate]}</span>}
        <StateChips record={record} />
        {record.tier && <span className="chip">{record.tier.replace('Tier.', '')}</span>}
        {highlight?.nodes.has(record.id) && <span className="chip warn">on the path</span>}
        <button
          type="button"
          className="button small"
          aria-label={`Details of ${recordName(record)}`}
          onClick={() => change({ asset: record.id, edge: undefined })}
        >
          Details
        </button>
      </div>
      <Columns {...props} />
      <div className="list-joined">
        <Neighbours {...joined} direction="upstream" />
        <Neighbours {...joined} direction="downstream" />
      </div>
    </div>
  );
};

const ROW_HEIGHT = 150;

export const LineageList = (props: ListProps) => {
  const { graph, choice } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => listRows(graph), [graph]);
  const { getVirtualItems, getTotalSize, measureElement, scrollToIndex } = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (at) => rows[at]?.key ?? at,
    overscan: 8,
  });
  const { column } = choice;
  const litAt = useMemo(() => {
    const owner = column === undefined ? undefined : findColumnOwner(graph, column);
    return owner ? rows.findIndex(({ key }) => key === owner.id) : -1;
  }, [graph, rows, column]);
  const isLitThere = litAt >= 0;
  // Whoever comes with a lit column sees it, however far down its asset stands.
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that come above it later move nobody.
  useEffect(() => {
    if (isLitThere) scrollToIndex(litAt);
  }, [column, isLitThere, scrollToIndex]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <section className="lineage-list" ref={scroller} tabIndex={0} aria-label="The lineage as a list">
      {props.columns.failure !== undefined && <Failure failure={props.columns.failure} again={props.columns.again} />}
      <ul style={{ height: getTotalSize() }}>
        {getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <li
              key={key}
              ref={measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={rows.length}
              style={{ transform: `translateY(${start}px)` }}
            >
              {row.kind === 'distance' ? <h2>{row.title}</h2> : <RecordRow {...props} record={row.record} />}
            </li>
          );
        })}
      </ul>
    </section>
  );
};
