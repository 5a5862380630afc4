import { useQuery } from '@tanstack/react-query';
import { askLabels } from '../api/count-facets.ts';
import type { FacetField } from '../api/facets.ts';
import { labelKind } from '../api/kinds.ts';

export type LabelValue = (key: string) => string;

const TEN_MINUTES_MS = 600_000;

/** How the values of a facet are written. Until that is known, and where it is not, they stand as they are counted. */
export const useFacetLabels = (name: FacetField): LabelValue => {
  const isKind = name === 'entityType';
  const { data } = useQuery({
    queryKey: ['facet labels', name],
    queryFn: ({ signal }) => askLabels(name, signal),
    staleTime: TEN_MINUTES_MS,
    enabled: !isKind,
  });
  if (isKind) return labelKind;
  return (key) => (data?.get(key) ?? key).replace(/^Tier\./, '');
};
