import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import { readAsset } from '../api/asset.ts';
import { usePermissions } from '../api/permissions.ts';
import { Activity } from '../asset/activity.tsx';
import { ContractOf } from '../asset/contract.tsx';
import type { Subject } from '../asset/edit/use-save.ts';
import { Head } from '../asset/head.tsx';
import { Overview } from '../asset/overview.tsx';
import { Quality } from '../asset/quality.tsx';
import { SampleData } from '../asset/sample-data.tsx';
import { Versions } from '../asset/versions.tsx';
import { type View, viewsOf } from '../asset/views.ts';
import { FlowsPart } from '../flows/flows-part.tsx';
import { InheritedPart } from '../inherited/inherited-part.tsx';
import { NoAsset } from '../parts/no-asset.tsx';
import { Waiting } from '../parts/states.tsx';
import { PromisesTo } from '../promises/promises.tsx';
import './asset.css';
import './home.css';

/** The page of a record of any kind. Its parts are views, of which the address names one. */

const ViewLinks = ({ view, views }: { readonly view: string; readonly views: readonly View[] }) => {
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the links go on beyond the edge; the current one has to be in sight. The page itself stays where it is.
    const [list, current] = [links.current, links.current?.querySelector<HTMLElement>(`[data-view='${view}']`)];
    if (list && current) list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
  }, [view]);
  return (
    <nav className="views" aria-label="Parts of the page" ref={links}>
      {views.map((one) => (
        <Link
          key={one.view}
          href={`?view=${one.view}`}
          data-view={one.view}
          aria-current={one.view === view ? 'page' : undefined}
        >
          {one.title}
        </Link>
      ))}
    </nav>
  );
};

const Body = ({ subject, view }: { readonly subject: Subject; readonly view: string }) => {
  const { type, read } = subject;
  const { asset } = read;
  switch (view) {
    case 'quality':
      return <Quality asset={asset} />;
    case 'contract':
      return (
        <section className="card">
          <ContractOf type={type} id={asset.id} />
        </section>
      );
    case 'sample':
      return <SampleData type={type} asset={asset} />;
    case 'inherited':
      return <InheritedPart tag={asset.fullyQualifiedName} />;
    case 'flows':
      return <FlowsPart tag={asset.fullyQualifiedName} />;
    case 'promises':
      return <PromisesTo id={asset.id} />;
    case 'versions':
      return <Versions type={type} id={asset.id} />;
    case 'activity':
      return <Activity id={asset.id} />;
    default:
      return <Overview subject={subject} />;
  }
};

const Page = ({ subject }: { readonly subject: Subject }) => {
  const { type, read } = subject;
  // Of a deleted record the API tells no rights; those for its kind decide whether it can be restored.
  const may = usePermissions(type, read.asset.deleted ? undefined : read.asset.id);
  const [params] = useSearchParams();
  const views = viewsOf(type, read.asset.deleted);
  const wanted = params.get('view');
  const view = views.find((one) => one.view === wanted)?.view ?? 'overview';
  return (
    <div className="page stack">
      <Head subject={subject} may={may} />
      <ViewLinks view={view} views={views} />
      <Body subject={subject} view={view} />
    </div>
  );
};

export const AssetPage = ({ type, fqn }: { readonly type: string; readonly fqn: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['asset', type, fqn],
    queryFn: ({ signal }) => readAsset(type, fqn, signal),
  });
  // What was read before stays on the page when reading it again fails, and with it what is being typed.
  if (data) return <Page subject={{ type, fqn, read: data }} />;
  if (error) return <NoAsset failure={error} fqn={fqn} again={refetch} />;
  return <Waiting what="the asset" />;
};
