import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask } from '../api/ask.ts';
import { kindOf } from '../api/kinds.ts';
import type { LineageNode, Schemas } from '../api/types.ts';
import { KindName } from '../parts/kind-name.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import type { LineageChoice } from './choice.ts';
import type { Direction, ShownGraph } from './graph-model.ts';
import { writeStep } from './graph-query.ts';
import { count, recordName } from './names.ts';
import { Panel } from './panel.tsx';
import './neighbour-picker.css';

/** The neighbours of a record that has many, of which one picks those to be shown. */

type Neighbours = Schemas['LineageNeighbours'];

const ORDERS = { importance: 'Importance', name: 'Name' } as const;
type Order = keyof typeof ORDERS;

const PAGE = 100;
const PAUSE_MS = 200;
const ROW_HEIGHT = 56;

/** Each that is picked is a part of the address. */
const MOST_PICKED = 60;

type Wanted = {
  readonly id: string;
  readonly side: Direction;
  readonly q: string;
  readonly types: string;
  readonly services: string;
  readonly domains: string;
  readonly tags: string;
  readonly order: Order;
  readonly asOf: string | undefined;
};

const useNeighbours = (wanted: Wanted) =>
  useInfiniteQuery({
    queryKey: ['neighbours', wanted],
    queryFn: ({ pageParam, signal }) =>
      ask<Neighbours>('/v1/lineage/neighbours', {
        query: {
          ...wanted,
          fields: 'name,displayName,fullyQualifiedName,deleted',
          edgeFields: 'source',
          limit: PAGE,
          after: pageParam,
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.after,
    placeholderData: keepPreviousData,
  });

type KindsProps = {
  readonly types: Neighbours['types'];
  readonly chosen: string;
  readonly onChoose: (type: string) => void;
};

const Kinds = ({ types, chosen, onChoose }: KindsProps) => {
  const offered =
    types.some(({ type }) => type === chosen) || chosen === '' ? types : [...types, { type: chosen, count: 0 }];
  if (offered.length < 2 && chosen === '') return null;
  return (
    <label className="field">
      Kind
      <select value={chosen} onChange={({ target }) => onChoose(target.value)}>
        <option value="">All</option>
        {offered.map(({ type, count: number }) => (
          <option key={type} value={type}>
            {kindOf(type)?.title ?? type} ({number.toLocaleString()})
          </option>
        ))}
      </select>
    </label>
  );
};

type RowProps = { readonly node: LineageNode; readonly action: ReactNode };

const Row = ({ node, action }: RowProps) =>
  node.hidden ? (
    <span className="pick-name quiet">{recordName(node)}</span>
  ) : (
    <>
      <span className="pick-name">
        <span>{recordName(node)}</span>
        <span className="quiet">
          <KindName type={node.type} /> {node.fullyQualifiedName}
        </span>
      </span>
      {action}
    </>
  );

const TITLES: Readonly<Record<Direction, string>> = { upstream: 'Upstream of', downstream: 'Downstream of' };

type PickerProps = {
  readonly graph: ShownGraph;
  /** The record whose neighbours are listed. */
  readonly origin: LineageNode;
  readonly direction: Direction;
  readonly choice: LineageChoice;
  readonly change: (part: Partial<LineageChoice>) => void;
};

type ActionProps = Pick<PickerProps, 'graph' | 'choice' | 'change'> & { readonly node: LineageNode };

const PickAction = ({ graph, choice: { picked }, change, node: { id, ...node } }: ActionProps) => {
  const name = recordName({ id, ...node });
  if (picked.includes(id))
    return (
      <button
        type="button"
        className="button"
        aria-label={`Hide ${name}`}
        onClick={() => change({ picked: picked.filter((one) => one !== id) })}
      >
        Hide
      </button>
    );
  if (graph.nodes.has(id)) return <span className="quiet">shown</span>;
  return (
    <button
      type="button"
      className="button"
      disabled={picked.length >= MOST_PICKED}
      aria-label={`Show ${name}`}
      onClick={() => change({ picked: [...picked, id] })}
    >
      Show
    </button>
  );
};

/** How many there are, or how many the words find. */
const countWords = ({ paging: { total } }: Neighbours, shown: number, isSearch: boolean): string => {
  if (total === undefined) return `More than ${shown.toLocaleString()}; not all were looked at`;
  return isSearch ? `${total.toLocaleString()} found` : count(total, 'neighbour');
};

export const NeighbourPicker = ({ graph, origin, direction, choice, change }: PickerProps) => {
  const [words, setWords] = useState('');
  const [types, setTypes] = useState('');
  const [order, setOrder] = useState<Order>('importance');
  const q = useSettled(words.trim(), PAUSE_MS);
  const filters = {
    types: types || choice.types.join(','),
    services: choice.services.join(','),
    domains: choice.domains.join(','),
    tags: choice.tags.join(','),
  };
  const isFiltered = Object.values(filters).some((filter) => filter !== '');
  const found = useNeighbours({ id: origin.id, side: direction, q, ...filters, order, asOf: choice.asOf });
  const { data, error, isFetchingNextPage, hasNextPage, fetchNextPage } = found;
  const first = data?.pages[0];
  const rows = data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  const step = writeStep(direction, origin.id);
  const title = `${TITLES[direction]} ${recordName(origin)}`;
  const shared = { graph, choice, change };
  return (
    <Panel
      title={title}
      className="picker"
      onClose={() => change({ picking: undefined })}
      returnTo={`[data-id="${CSS.escape(origin.id)}"]`}
    >
      <label>
        <span className="visually-hidden">Find by words in names</span>
        <input
          type="search"
          placeholder="Find by words in names"
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      </label>
      <div className="row picker-choices">
        <Kinds types={first?.types ?? []} chosen={types} onChoose={setTypes} />
        <label className="field">
          Order by
          <select value={order} onChange={({ target }) => setOrder(target.value as Order)}>
            {Object.entries(ORDERS).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error && <Failure failure={error} again={() => found.refetch()} />}
      {!data && !error && <Waiting what="the neighbours" />}
      {first && (
        <p className="quiet" role="status">
          {countWords(first, rows.length, q !== '' || isFiltered)}
        </p>
      )}
      {choice.picked.length >= MOST_PICKED && (
        <p className="notice">{MOST_PICKED} are picked, as many as an address holds. Hide some, or show all.</p>
      )}
      {first && rows.length === 0 && (
        <Nothing>{`Nothing here has these words${isFiltered ? ' and passes the filters' : ''}.`}</Nothing>
      )}
      <VirtualRows
        label={`${title}: the list`}
        className="picks"
        count={rows.length}
        rowHeight={ROW_HEIGHT}
        keyOf={(index) => rows[index]?.id ?? index}
        row={(index) => {
          const node = rows[index];
          return node && <Row node={node} action={<PickAction {...shared} node={node} />} />;
        }}
        onNearEnd={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined}
      />
      {!choice.more.includes(step) && (
        <p>
          <button
            type="button"
            className="button"
            onClick={() => change({ more: [...choice.more, step], picking: undefined })}
          >
            Show all
          </button>
        </p>
      )}
    </Panel>
  );
};
