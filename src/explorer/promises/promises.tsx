import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import { AssetLink } from '../parts/asset-links.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { describePromises, type PromiseLine, type PromiseWay } from './describe-promise.ts';
import './promises.css';

type Promises = Schemas['Promises'];

const PAGE = 50;

const usePromises = (id: string) =>
  useInfiniteQuery({
    queryKey: ['promises to', id],
    queryFn: ({ pageParam, signal }) =>
      ask<Promises>('/v1/insight/promises', { query: { id, limit: PAGE, after: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.after,
  });

const Links = ({ assets, between }: { readonly assets: PromiseWay['path']; readonly between: string }) =>
  assets.map((asset, at) => (
    <Fragment key={asset.id}>
      {at > 0 && between}
      <AssetLink asset={asset} />
    </Fragment>
  ));

const Check = ({ line: { text, holds } }: { readonly line: PromiseLine }) => (
  <li>
    {text}
    {holds === false && <span className="chip bad">cannot hold</span>}
    {holds === true && <span className="chip good">can hold</span>}
  </li>
);

const Way = ({ way }: { readonly way: PromiseWay }) => (
  <li className="promise-way">
    <p>
      <Links assets={way.path} between=" → " />
    </p>
    <ul className="promise-facts">
      {describePromises(way).map((line) => (
        <Check key={line.text} line={line} />
      ))}
      {way.uncovered.length > 0 && (
        <li>
          Without a contract: <Links assets={way.uncovered} between=", " />
        </li>
      )}
      {way.unowned.length > 0 && (
        <li>
          Without an owner: <Links assets={way.unowned} between=", " />
        </li>
      )}
    </ul>
  </li>
);

const countWays = ({ summary: { paths, broken }, paging }: Promises): string => {
  const ways = `${paging.truncated ? 'More than ' : ''}${paths.toLocaleString()} ${paths === 1 ? 'way leads' : 'ways lead'} here`;
  if (broken === 0) return `${ways}; no promise is broken on any.`;
  return `${ways}; on ${broken.toLocaleString()} what is promised cannot hold.`;
};

/** The ways on which data comes to a data product, and whether what it promises can hold on each. */
export const PromisesTo = ({ id }: { readonly id: string }) => {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = usePromises(id);
  const [first] = data?.pages ?? [];
  const ways = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className="card stack" aria-label="Promises">
      <h2>Can its promises hold?</h2>
      {error && <Failure failure={error} again={refetch} />}
      {!first && !error && <Waiting what="the ways" />}
      {first && ways.length > 0 && (
        <p className="quiet" role="status">
          {countWays(first)}
        </p>
      )}
      {first && ways.length === 0 && <Nothing>It has no assets, so nothing leads to it.</Nothing>}
      <ul className="promise-ways">
        {ways.map((way) => (
          <Way key={way.path.map((asset) => asset.id).join(' ')} way={way} />
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          More ways
        </button>
      )}
    </section>
  );
};
