import { FACETS, type FacetField } from '../api/facets.ts';
import { listChosen, type SearchChoice, toggleValue } from './choice.ts';
import { useFacetLabels } from './use-facet-labels.ts';

type ChipProps = { readonly name: FacetField; readonly value: string; readonly onDrop: () => void };

const ChosenChip = ({ name, value, onDrop }: ChipProps) => {
  const label = useFacetLabels(name)(value);
  return (
    <button type="button" className="chip drop" onClick={onDrop} aria-label={`Drop ${FACETS[name].title}: ${label}`}>
      <span className="quiet">{FACETS[name].title}:</span> {label} <span aria-hidden="true">×</span>
    </button>
  );
};

type ChipsProps = { readonly choice: SearchChoice; readonly onChange: (next: SearchChoice) => void };

/** The chosen values of all facets, each of which a click drops. */
export const ChosenChips = ({ choice, onChange }: ChipsProps) => {
  const chosen = listChosen(choice.chosen);
  if (chosen.length === 0) return null;
  return (
    <fieldset className="row chosen">
      <legend className="visually-hidden">Active filters</legend>
      {chosen.map(({ name, value }) => (
        <ChosenChip
          key={`${name} ${value}`}
          name={name}
          value={value}
          onDrop={() => onChange(toggleValue(choice, name, value))}
        />
      ))}
      {chosen.length > 1 && (
        <button type="button" className="link-button" onClick={() => onChange({ ...choice, chosen: {} })}>
          Drop all
        </button>
      )}
    </fieldset>
  );
};
