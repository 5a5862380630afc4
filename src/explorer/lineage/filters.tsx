import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { search } from '../api/search.ts';
import { Failure, Waiting } from '../parts/states.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { FILTERS, type Filter, type LineageChoice } from './choice.ts';
import { type FilterValue, listValues, type NodeFilter } from './offers.ts';
import { useSurroundings } from './surroundings.ts';
import './filters.css';

/** What records must have to be shown. Edges bridge what is left out. */

type Change = (part: Partial<LineageChoice>) => void;

const FILTER_NAMES: Readonly<Record<Filter, string>> = {
  types: 'Kind',
  services: 'Service',
  domains: 'Domain',
  tags: 'Tag',
};

const NODE_FILTERS: readonly NodeFilter[] = ['types', 'services', 'domains'];

type ValuesProps = {
  readonly values: readonly FilterValue[];
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly string[]) => void;
};

const Values = ({ values, chosen, onChosen }: ValuesProps) => (
  <div className="filter-values">
    {values.map(({ value, name, count }) => (
      <label key={value}>
        <input
          type="checkbox"
          checked={chosen.includes(value)}
          onChange={({ target }) =>
            onChosen(target.checked ? [...chosen, value] : chosen.filter((other) => other !== value))
          }
        />
        <span>{name}</span>
        {count > 0 && <span className="quiet">{count}</span>}
      </label>
    ))}
  </div>
);

const TAGS_SHOWN = 30;
const PAUSE_MS = 150;

/** Records of the graph do not say their tags, so tags are found by the search. */
const TagFilter = ({ chosen, onChosen }: Omit<ValuesProps, 'values'>) => {
  const [text, setText] = useState('');
  const settled = useSettled(text, PAUSE_MS);
  const { data, error, refetch } = useQuery({
    queryKey: ['tags', settled],
    queryFn: ({ signal }) =>
      search({ text: settled, size: TAGS_SHOWN, chosen: { entityType: ['tag', 'glossaryTerm'] } }, signal),
    placeholderData: keepPreviousData,
  });
  const found = (data?.hits ?? []).map(({ fqn }) => fqn).filter((fqn) => !chosen.includes(fqn));
  return (
    <fieldset className="filter">
      <legend>{FILTER_NAMES.tags}</legend>
      <input
        type="search"
        className="finder-input"
        aria-label="Find a tag"
        placeholder="Find a tag"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {error && <Failure failure={error} again={refetch} />}
      <Values
        values={[...chosen, ...found].map((value) => ({ value, name: value, count: 0 }))}
        chosen={chosen}
        onChosen={onChosen}
      />
      {data && chosen.length + found.length === 0 && <p className="quiet">No tag is called so.</p>}
    </fieldset>
  );
};

type FiltersProps = {
  readonly type: string;
  readonly fqn: string;
  readonly choice: LineageChoice;
  readonly change: Change;
};

const FilterForm = ({ type, fqn, choice, change }: FiltersProps) => {
  const { data, error, refetch } = useSurroundings(type, fqn, true);
  return (
    <div className="filters">
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the choices" />}
      {data &&
        NODE_FILTERS.map((filter) => {
          const values = listValues(data.nodes, filter, choice[filter]);
          return (
            <fieldset key={filter} className="filter">
              <legend>{FILTER_NAMES[filter]}</legend>
              {values.length === 0 && <p className="quiet">None around this asset.</p>}
              <Values values={values} chosen={choice[filter]} onChosen={(chosen) => change({ [filter]: chosen })} />
            </fieldset>
          );
        })}
      <TagFilter chosen={choice.tags} onChosen={(tags) => change({ tags })} />
    </div>
  );
};

export const Filters = (props: FiltersProps) => {
  const active = FILTERS.reduce((sum, filter) => sum + props.choice[filter].length, 0);
  return (
    <DialogTrigger>
      <Button className="button">Filter{active > 0 ? ` (${active})` : ''}</Button>
      <Popover className="sheet" placement="bottom start">
        <Dialog aria-label="Filter the lineage" className="sheet-dialog">
          <p className="quiet">Assets that match stay; edges bridge over the others.</p>
          <FilterForm {...props} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
};

const chipName = (filter: Filter, value: string): string =>
  filter === 'types' ? (listValues([], 'types', [value])[0]?.name ?? value) : value;

/** The filters that are on, each with a button that takes it off. */
export const FilterChips = ({ choice, change }: Pick<FiltersProps, 'choice' | 'change'>) => {
  const active = FILTERS.flatMap((filter) => choice[filter].map((value) => ({ filter, value })));
  if (active.length === 0) return null;
  return (
    <ul className="filter-chips" aria-label="Filters">
      {active.map(({ filter, value }) => (
        <li key={`${filter} ${value}`}>
          <button
            type="button"
            className="chip"
            onClick={() => change({ [filter]: choice[filter].filter((other) => other !== value) })}
          >
            <span className="visually-hidden">Remove the filter </span>
            <span className="quiet">{FILTER_NAMES[filter]}</span> {chipName(filter, value)}
            <span aria-hidden="true">✕</span>
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          className="link-button"
          onClick={() => change({ types: [], services: [], domains: [], tags: [] })}
        >
          Remove all
        </button>
      </li>
    </ul>
  );
};
