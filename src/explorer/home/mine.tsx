import { useState } from 'react';
import { Link } from 'wouter';
import { useMe } from '../api/me.ts';
import type { Reference } from '../api/types.ts';
import { AssetLink } from '../parts/asset-links.tsx';
import { KindName } from '../parts/kind-name.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { useSavedSearches } from '../search/use-saved-searches.ts';
import { HomeSection } from './section.tsx';

const FEW = 6;
const MANY = 100;

/** References, of which at first only a few are shown. */
const RefRows = ({ refs, page }: { readonly refs: readonly Reference[]; readonly page: string }) => {
  const [isAll, setAll] = useState(false);
  const shown = refs.slice(0, isAll ? MANY : FEW);
  return (
    <>
      <ul className="home-rows">
        {shown.map((ref) => (
          <li key={ref.id}>
            <div className="home-row-name">
              <AssetLink asset={ref} />
              <span className="quiet home-row-detail">{ref.description}</span>
            </div>
            <KindName type={ref.type ?? ''} />
          </li>
        ))}
      </ul>
      {refs.length > FEW && !isAll && (
        <button type="button" className="link-button" onClick={() => setAll(true)}>
          All {refs.length.toLocaleString()}
        </button>
      )}
      {isAll && refs.length > MANY && <Link href={page}>All {refs.length.toLocaleString()} on your page</Link>}
    </>
  );
};

type MineProps = { readonly title: string; readonly member: 'owns' | 'follows'; readonly none: string };

const MySection = ({ title, member, none }: MineProps) => {
  const { data: me, error, refetch } = useMe();
  const refs = me?.[member] ?? [];
  return (
    <HomeSection title={title}>
      {error && <Failure failure={error} again={refetch} />}
      {!me && !error && <Waiting what="your assets" />}
      {me && refs.length === 0 && <Nothing>{none}</Nothing>}
      {me && refs.length > 0 && <RefRows refs={refs} page={`/assets/user/${encodeURIComponent(me.name)}`} />}
    </HomeSection>
  );
};

export const Owned = () => (
  <MySection title="What I own" member="owns" none="Nobody has made you an owner of anything yet." />
);

export const Followed = () => (
  <MySection title="What I follow" member="follows" none="Follow an asset on its page to find it here again." />
);

/** The searches that were saved in this browser. */
export const SavedSearchLinks = () => {
  const { searches } = useSavedSearches();
  if (searches.length === 0) return null;
  return (
    <nav className="row" aria-label="Saved searches">
      <span className="quiet">Saved:</span>
      {searches.slice(0, FEW).map(({ name, query }) => (
        <Link key={name} className="chip" href={`/search?${query}`}>
          {name}
        </Link>
      ))}
    </nav>
  );
};
