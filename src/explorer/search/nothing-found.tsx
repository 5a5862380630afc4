import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { FACET_NAMES, FACETS, type FacetField } from '../api/facets.ts';
import type { Hit } from '../api/hit.ts';
import { search } from '../api/search.ts';
import { findBeginnings } from '../api/suggest.ts';
import { KindName } from '../parts/kind-name.tsx';
import { beginningsOf } from './beginnings.ts';
import { plainWords, type SearchChoice } from './choice.ts';

type NothingFoundProps = { readonly choice: SearchChoice; readonly onChange: (next: SearchChoice) => void };

const SUGGESTIONS = 5;

const without = (choice: SearchChoice, name: FacetField): SearchChoice => ({
  ...choice,
  chosen: { ...choice.chosen, [name]: [] },
});

type Way = { readonly label: string; readonly next: SearchChoice };

const listWays = (choice: SearchChoice): readonly Way[] => {
  const used = FACET_NAMES.filter((name) => (choice.chosen[name] ?? []).length > 0);
  return [
    ...used.map((name) => ({ label: `without ${FACETS[name].title}`, next: without(choice, name) })),
    ...(used.length > 1 ? [{ label: 'without any filter', next: { ...choice, chosen: {} } }] : []),
  ];
};

/** How many hits there were without each of the facets, so that nobody drops one in vain. */
const useWays = (choice: SearchChoice) => {
  const ways = listWays(choice);
  const counts = useQueries({
    queries: ways.map(({ next }) => ({
      queryKey: ['count', next.text, next.chosen],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        search({ text: next.text, chosen: next.chosen, size: 0 }, signal),
    })),
  });
  const helpful = ways.flatMap((way, index) => {
    const total = counts[index]?.data?.total ?? 0;
    return total > 0 ? [{ ...way, total }] : [];
  });
  return { helpful, isCounting: counts.some(({ isPending }) => isPending) };
};

/** Names that begin like the longest word; the shorter the beginning, the more of them. */
const findSimilar = async (text: string, signal: AbortSignal): Promise<readonly Hit[]> => {
  for (const beginning of beginningsOf(text)) {
    const found = await findBeginnings(beginning, SUGGESTIONS, signal);
    if (found.length > 0) return found;
  }
  return [];
};

const SimilarNames = ({ text }: { readonly text: string }) => {
  const { data = [] } = useQuery({
    queryKey: ['similar names', text],
    queryFn: ({ signal }) => findSimilar(text, signal),
  });
  if (data.length === 0) return null;
  return (
    <>
      <h3>Did you mean</h3>
      <ul className="rows">
        {data.map(({ id, type, name, fqn }) => (
          <li key={id}>
            <Link href={assetAddress(type, fqn)}>{name}</Link>
            <KindName type={type} />
          </li>
        ))}
      </ul>
    </>
  );
};

/** Helps on when a search has no hits. */
export const NothingFound = ({ choice, onChange }: NothingFoundProps) => {
  const plain = plainWords(choice.text);
  const { helpful, isCounting } = useWays(choice);
  return (
    <div className="card stack nothing-found">
      <h2>Nothing is found</h2>
      <p className="quiet">
        Misspelled and unfinished words are found as well, so there is nothing with words like these
        {Object.values(choice.chosen).some((values) => values.length > 0) ? ' and with these filters' : ''}. What you
        may not see is never found.
      </p>
      {helpful.length > 0 && (
        <div className="row">
          {helpful.map(({ label, next, total }) => (
            <button key={label} type="button" className="button" onClick={() => onChange(next)}>
              {total.toLocaleString()} {total === 1 ? 'hit' : 'hits'} {label}
            </button>
          ))}
        </div>
      )}
      {plain !== '' && plain !== choice.text.trim() && (
        <button type="button" className="button" onClick={() => onChange({ ...choice, text: plain })}>
          Search for «{plain}» as plain words
        </button>
      )}
      {helpful.length === 0 && !isCounting && <SimilarNames text={choice.text} />}
    </div>
  );
};
