import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { assetAddress, lineageAddress } from '../addresses.ts';
import type { Hit } from '../api/hit.ts';
import { DATA_KINDS } from '../api/kinds.ts';
import { search } from '../api/search.ts';
import type { SortName } from '../api/sorts.ts';
import { KindName } from '../parts/kind-name.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { rankEntryPoints } from './entry-points.ts';
import { HomeSection } from './section.tsx';

const SHOWN = 8;
/** Of both orders, by use and by tier, so many are weighed against each other. */
const WEIGHED = 40;

const INDEX = DATA_KINDS.join(',');

const readImportant = async (signal: AbortSignal): Promise<readonly Hit[]> => {
  const ask = (sort: SortName) => search({ text: '*', index: INDEX, sort, size: WEIGHED }, signal);
  const [used, tiered] = await Promise.all([ask('used'), ask('tier')]);
  return rankEntryPoints([used.hits, tiered.hits], SHOWN);
};

const ImportantRow = ({ hit }: { readonly hit: Hit }) => (
  <li>
    <div className="home-row-name">
      <Link href={assetAddress(hit.type, hit.fqn)}>{hit.name}</Link>
      <span className="quiet home-row-detail">
        {[hit.within.join(' › '), hit.usesOfWeek > 0 ? `${hit.usesOfWeek.toLocaleString()} uses a week` : '']
          .filter(Boolean)
          .join(' · ')}
      </span>
    </div>
    {hit.tier && <span className="chip accent">{hit.tier.replace('Tier.', '')}</span>}
    <KindName type={hit.type} />
    <Link className="home-row-lineage" href={lineageAddress(hit.type, hit.fqn)} aria-label={`Lineage of ${hit.name}`}>
      Lineage
    </Link>
  </li>
);

/** The data that matters most, by use and tier. */
export const Important = () => {
  const { data, error, refetch } = useQuery({
    queryKey: ['important'],
    queryFn: ({ signal }) => readImportant(signal),
    staleTime: 60_000,
  });
  return (
    <HomeSection title="Where to begin" more={<Link href="/search?sort=used">All by use</Link>}>
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the catalog" />}
      {data?.length === 0 && <Nothing>No table, dashboard or other data that you may see.</Nothing>}
      {data && data.length > 0 && (
        <ul className="home-rows">
          {data.map((hit) => (
            <ImportantRow key={hit.id} hit={hit} />
          ))}
        </ul>
      )}
    </HomeSection>
  );
};
