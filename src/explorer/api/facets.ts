/** The facets of a search: what hits may be narrowed by, how many have each value, and how the values are written. */

export const FACET_NAMES = ['entityType', 'service', 'domains', 'owners', 'tags', 'tier'] as const;
export type FacetField = (typeof FACET_NAMES)[number];

/** Values that hits must have, by facet. Of several values of one facet, hits have at least one. */
export type Chosen = Partial<Readonly<Record<FacetField, readonly string[]>>>;

type Facet = {
  /** The field of the search documents. */
  readonly field: string;
  readonly title: string;
};

export const FACETS: Readonly<Record<FacetField, Facet>> = {
  entityType: { field: 'entityType', title: 'Kind' },
  service: { field: 'service.displayName.keyword', title: 'Service' },
  domains: { field: 'domains.displayName.keyword', title: 'Domain' },
  owners: { field: 'owners.displayName.keyword', title: 'Owner' },
  tags: { field: 'tags.tagFQN', title: 'Tag' },
  tier: { field: 'tier.tagFQN', title: 'Tier' },
};

/** Everything that people look for: data, what describes it, and who answers for it. */
export const EVERYTHING = 'all,user,team';

/** The filter of a search, as JSON. The counts of a facet leave out what is chosen in it, so that more can be chosen. */
export const buildFilter = (chosen: Chosen, except?: FacetField): string | undefined => {
  const must = FACET_NAMES.flatMap((name) => {
    const values = chosen[name] ?? [];
    return name === except || values.length === 0 ? [] : [{ terms: { [FACETS[name].field]: values } }];
  });
  return must.length === 0 ? undefined : JSON.stringify({ query: { bool: { must } } });
};

type Labelled = { readonly displayName?: string; readonly name?: string; readonly tagFQN?: string };
type LabelSource = Partial<Readonly<Record<FacetField, Labelled | readonly Labelled[]>>>;
export type LabelBucket = {
  readonly key: string;
  readonly 'top_hits#top'?: { readonly hits: { readonly hits: readonly { readonly _source: LabelSource }[] } };
};

/** Keys of counts are in small letters. How they are written is read from an asset that has the value. */
export const readLabels = (name: FacetField, buckets: readonly LabelBucket[]): ReadonlyMap<string, string> =>
  new Map(
    buckets.flatMap(({ key, 'top_hits#top': top }) => {
      const value = top?.hits.hits[0]?._source[name];
      const written = (Array.isArray(value) ? value : [value])
        .flatMap((one?: Labelled) => [one?.tagFQN, one?.displayName, one?.name])
        .find((label) => label?.toLowerCase() === key.toLowerCase());
      return written === undefined ? [] : [[key, written] as const];
    }),
  );
