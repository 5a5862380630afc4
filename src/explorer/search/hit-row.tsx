import { Link } from 'wouter';
import { assetAddress, lineageAddress, trailAddress } from '../addresses.ts';
import { columnOf, type Hit, type HitPassage, partOf } from '../api/hit.ts';
import { hasLineage } from '../api/kinds.ts';
import { KindName } from '../parts/kind-name.tsx';
import { Passage } from '../parts/passage.tsx';

const MOST_PASSAGES = 3;
const MOST_CHIPS = 4;

const MoreChips = ({ values, what }: { readonly values: readonly string[]; readonly what: string }) => (
  <>
    {values.slice(0, MOST_CHIPS).map((value) => (
      <span key={value} className="chip">
        {value}
      </span>
    ))}
    {values.length > MOST_CHIPS && (
      <span className="quiet">
        and {values.length - MOST_CHIPS} more {what}
      </span>
    )}
  </>
);

/** What was found; the name of a column leads to its lineage. */
const FoundText = ({ hit, passage }: { readonly hit: Hit; readonly passage: HitPassage }) => {
  const column = hasLineage(hit.type) ? columnOf(hit, passage) : undefined;
  const text = <Passage text={passage.text} />;
  return column === undefined ? (
    text
  ) : (
    <Link href={trailAddress(hit.type, hit.fqn, column)} title="Light it in the lineage">
      {text}
    </Link>
  );
};

const Passages = ({ hit }: { readonly hit: Hit }) => {
  if (hit.passages.length === 0)
    return hit.description === '' ? null : <p className="hit-description">{hit.description}</p>;
  return hit.passages.slice(0, MOST_PASSAGES).map((passage) => (
    <p key={`${passage.field} ${passage.text}`} className="hit-description">
      {partOf(passage) && <span className="quiet">{partOf(passage)}: </span>}
      <FoundText hit={hit} passage={passage} />
    </p>
  ));
};

/** Who answers for the asset, and how it is labelled. */
const Labels = ({ hit }: { readonly hit: Hit }) => {
  const { owners, tier, domains, tags } = hit;
  if (owners.length + domains.length + tags.length === 0 && tier === '') return null;
  return (
    <div className="row hit-labels">
      {tier && <span className="chip accent">{tier.replace('Tier.', '')}</span>}
      {owners.length > 0 && <span className="quiet">Owned by {owners.slice(0, MOST_CHIPS).join(', ')}</span>}
      {domains.length > 0 && <span className="quiet">in {domains.slice(0, MOST_CHIPS).join(', ')}</span>}
      <MoreChips values={tags} what="tags" />
    </div>
  );
};

const Place = ({ within }: { readonly within: readonly string[] }) =>
  within.length === 0 ? null : <p className="quiet hit-place">{within.join(' › ')}</p>;

/** One hit: its name with what was found, where it is, what it says, and who answers for it. */
export const HitRow = ({ hit }: { readonly hit: Hit }) => (
  <article className="card hit">
    <div className="hit-head">
      <Link className="hit-name" href={assetAddress(hit.type, hit.fqn)}>
        {hit.markedName === undefined ? hit.name : <Passage text={hit.markedName} />}
      </Link>
      <KindName type={hit.type} />
      {hasLineage(hit.type) && (
        <Link className="hit-lineage" href={lineageAddress(hit.type, hit.fqn)} aria-label={`Lineage of ${hit.name}`}>
          Lineage
        </Link>
      )}
    </div>
    <Place within={hit.within} />
    <Passages hit={hit} />
    <Labels hit={hit} />
  </article>
);
