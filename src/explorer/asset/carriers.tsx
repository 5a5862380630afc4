import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Link } from 'wouter';
import { columnAddress } from '../addresses.ts';
import { KindName } from '../parts/kind-name.tsx';
import { Failure, Waiting } from '../parts/states.tsx';
import type { LabelledItem } from './labelled-items.ts';
import { LongList } from './long-list.tsx';
import { readLabelledItems } from './read-carriers.ts';

/** The search answers nothing beyond this position. */
const LAST_POSITION = 10_000;

const useCarriers = (label: string) =>
  useInfiniteQuery({
    queryKey: ['columns with', label],
    queryFn: ({ pageParam, signal }) => readLabelledItems(label, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const read = pages.reduce((count, page) => count + page.read, 0);
      return last.read > 0 && read < Math.min(last.assets, LAST_POSITION) ? read : undefined;
    },
  });

const CarrierRow = ({ item: { type, assetFqn, assetName, fqn, pointer, path } }: { readonly item: LabelledItem }) => (
  <>
    <Link href={columnAddress(type, assetFqn, fqn ?? pointer)}>{path.join(' › ')}</Link>
    <span className="row-note" title={assetFqn}>
      on {assetName}
    </span>
    <KindName type={type} />
  </>
);

/** How many there are in all is known when the last page was read. */
const countCarriers = (items: number, assets: number, hasMore: boolean): string => {
  if (assets === 0) return 'none';
  const places = assets === 1 ? 'one asset' : `${assets.toLocaleString()} assets`;
  return hasMore ? `in ${places}` : `${items.toLocaleString()} in ${places}`;
};

/** The columns and fields that carry a tag or a term, with the asset each stands in. */
export const Carriers = ({ label }: { readonly label: string }) => {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetching } = useCarriers(label);
  const goOn = useCallback(() => {
    if (!isFetching) fetchNextPage();
  }, [isFetching, fetchNextPage]);
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const assets = data?.pages[0]?.assets ?? 0;
  return (
    <section className="card stack" aria-label="Columns and fields">
      <h2>
        Columns and fields {data && <span className="quiet">{countCarriers(items.length, assets, hasNextPage)}</span>}
      </h2>
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the columns and fields" />}
      {items.length > 0 && (
        <LongList
          label="List: columns and fields"
          items={items}
          keyOf={({ assetFqn, pointer }) => `${assetFqn} ${pointer}`}
          onEnd={hasNextPage ? goOn : undefined}
          row={(item) => <CarrierRow item={item} />}
        />
      )}
    </section>
  );
};
