import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { countFacet, type FacetValue } from '../api/count-facets.ts';
import { type Chosen, FACETS, type FacetField } from '../api/facets.ts';
import { ApiFailure } from '../api/failure.ts';
import { Failure } from '../parts/states.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { type LabelValue, useFacetLabels } from './use-facet-labels.ts';

const FEW = 8;
const MANY = 100;
const PAUSE_MS = 200;

type FacetBoxProps = {
  readonly name: FacetField;
  readonly text: string;
  readonly chosen: Chosen;
  readonly onToggle: (value: string) => void;
};

/** Chosen values stay in sight, whatever the counts say. */
const listValues = (counted: readonly FacetValue[], chosen: readonly string[]): readonly Partial<FacetValue>[] => {
  const known = new Set(counted.map(({ key }) => key));
  return [...chosen.filter((key) => !known.has(key)).map((key) => ({ key })), ...counted];
};

type ValuesProps = {
  readonly values: readonly Partial<FacetValue>[];
  readonly chosen: readonly string[];
  readonly labelOf: LabelValue;
  readonly onToggle: (value: string) => void;
};

const Values = ({ values, chosen, labelOf, onToggle }: ValuesProps) =>
  values.map(({ key = '', count }) => (
    <label key={key}>
      <input type="checkbox" checked={chosen.includes(key)} onChange={() => onToggle(key)} />
      <span>{labelOf(key)}</span>
      <span className="quiet facet-count">{count?.toLocaleString()}</span>
    </label>
  ));

const useCounts = (question: Pick<FacetBoxProps, 'name' | 'text' | 'chosen'>, isOpen: boolean, wanted: string) => {
  const containing = useSettled(isOpen ? wanted.trim() : '', PAUSE_MS);
  const size = isOpen ? MANY : FEW;
  return useQuery({
    queryKey: ['facet', question, size, containing],
    queryFn: ({ signal }) => countFacet({ ...question, size, containing }, signal),
    placeholderData: keepPreviousData,
  });
};

/** One facet: its values with their counts, of which several may be chosen. */
export const FacetBox = ({ name, text, chosen, onToggle }: FacetBoxProps) => {
  const [isOpen, setOpen] = useState(false);
  const [wanted, setWanted] = useState('');
  const { data, error, refetch } = useCounts({ name, text, chosen }, isOpen, wanted);
  const labelOf = useFacetLabels(name);
  const picked = chosen[name] ?? [];
  const values = listValues(data?.values ?? [], picked);
  // What is wrong with the query itself is said once, beside the search box.
  if (error instanceof ApiFailure && error.status === 400) return null;
  if (error) return <Failure failure={error} again={refetch} />;
  if (values.length === 0 && wanted === '') return null;
  const { title } = FACETS[name];
  return (
    <fieldset className="facet">
      <legend>{title}</legend>
      {isOpen && (
        <input
          className="facet-find"
          type="search"
          aria-label={`Find in ${title}`}
          placeholder="Find"
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
        />
      )}
      <div className={isOpen ? 'facet-values open' : 'facet-values'}>
        <Values values={values} chosen={picked} labelOf={labelOf} onToggle={onToggle} />
      </div>
      {isOpen && values.length === 0 && <p className="quiet">Nothing like this</p>}
      {(data?.hasMore || isOpen) && (
        <button type="button" className="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer' : 'More'}
          <span className="visually-hidden"> of {title}</span>
        </button>
      )}
    </fieldset>
  );
};
