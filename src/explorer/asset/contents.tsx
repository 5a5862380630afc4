import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { ask } from '../api/ask.ts';
import { type Asset, recordPath } from '../api/asset.ts';
import { kindOf } from '../api/kinds.ts';
import { listAt, nameAt } from '../api/members.ts';
import type { Reference } from '../api/types.ts';
import { KindName } from '../parts/kind-name.tsx';
import { Failure, Waiting } from '../parts/states.tsx';
import { Carriers } from './carriers.tsx';
import { type ChildList, childListsOf } from './children.ts';
import { ListHeading } from './list-heading.tsx';
import { LongList } from './long-list.tsx';
import { TeamMembers } from './team-members.tsx';

/** What a record contains: its children, page after page, with a link to each. */

type Child = Reference & { readonly description?: string };

type Page = {
  readonly data: readonly Child[];
  readonly paging: { readonly total?: number; readonly after?: string };
};

type ListProps = { readonly type: string; readonly asset: Asset; readonly list: ChildList };

const PAGE = 50;

const readPage = (
  { type, asset, list }: ListProps,
  at: string | number | undefined,
  signal: AbortSignal,
): Promise<Page> => {
  if (list.from === 'list') {
    const query = {
      [list.by]: list.value === 'id' ? asset.id : asset.fullyQualifiedName,
      root: list.root,
      limit: PAGE,
      after: at,
    };
    return ask<Page>(`/v1/${kindOf(list.type)?.path}`, { query, signal });
  }
  const path = `/v1/${kindOf(type)?.path}/name/${encodeURIComponent(asset.fullyQualifiedName)}/${list.from}`;
  return ask<Page>(path, { query: { limit: PAGE, offset: at ?? 0 }, signal });
};

const keyOf = ({ id, fullyQualifiedName, name }: Child): string => id ?? fullyQualifiedName ?? name ?? '';

const typeOf = (type: string, list: ChildList, child: Child): string =>
  child.type ?? (list.from === 'list' ? list.type : type);

const nextPage = (list: ChildList, last: Page, pages: readonly Page[]): string | number | undefined => {
  if (list.from === 'list') return last.paging.after;
  const read = pages.reduce((count, { data }) => count + data.length, 0);
  return last.data.length > 0 && read < (last.paging.total ?? 0) ? read : undefined;
};

const ChildRow = ({
  type,
  child,
  withKind,
}: {
  readonly type: string;
  readonly child: Child;
  readonly withKind: boolean;
}) => (
  <>
    <Link href={assetAddress(type, child.fullyQualifiedName ?? child.name ?? '')}>{nameAt(child)}</Link>
    <span className="row-note">{child.description}</span>
    {withKind && <KindName type={type} />}
  </>
);

const PagedList = (props: ListProps) => {
  const { type, asset, list } = props;
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['children of', recordPath(type, asset.id), list],
    queryFn: ({ pageParam, signal }) => readPage(props, pageParam, signal),
    initialPageParam: undefined as string | number | undefined,
    getNextPageParam: (last, pages) => nextPage(list, last, pages),
  });
  const goOn = useCallback(() => {
    if (!isFetching) fetchNextPage();
  }, [isFetching, fetchNextPage]);
  const children = data?.pages.flatMap((page) => page.data) ?? [];
  const total = data?.pages[0]?.paging.total;
  return (
    <section className="card stack" aria-label={list.title}>
      <ListHeading title={list.title} total={total} />
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what={list.title.toLowerCase()} />}
      {children.length > 0 && (
        <LongList
          label={`List: ${list.title.toLowerCase()}`}
          items={children}
          keyOf={keyOf}
          onEnd={hasNextPage ? goOn : undefined}
          row={(child) => <ChildRow type={typeOf(type, list, child)} child={child} withKind={list.from !== 'list'} />}
        />
      )}
    </section>
  );
};

const MemberList = ({ type, asset, list }: ListProps) => {
  const children = (list.from === 'member' ? listAt(asset, list.member) : []) as readonly Child[];
  return (
    <section className="card stack" aria-label={list.title}>
      <ListHeading title={list.title} total={children.length} />
      {children.length > 0 && (
        <LongList
          label={`List: ${list.title.toLowerCase()}`}
          items={children}
          keyOf={keyOf}
          row={(child) => <ChildRow type={child.type ?? type} child={child} withKind={false} />}
        />
      )}
    </section>
  );
};

const ListOf = (props: ListProps) => {
  switch (props.list.from) {
    case 'member':
      return <MemberList {...props} />;
    case 'carriers':
      return <Carriers label={props.asset.fullyQualifiedName} />;
    case 'people':
      return <TeamMembers asset={props.asset} />;
    default:
      return <PagedList {...props} />;
  }
};

export const Contents = ({ type, asset }: { readonly type: string; readonly asset: Asset }) =>
  childListsOf(type).map((list) => <ListOf key={list.title} type={type} asset={asset} list={list} />);
