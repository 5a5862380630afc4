import { LINEAGE_SOURCES } from '../../model/schemas/lineage/lineage.ts';

/** A set of sources of lineage as a number, because there is one for each of very many edges. */
export type SourceSet = number;

export const NO_SOURCES: SourceSet = 0;

const VALUES: ReadonlyMap<string, number> = new Map(LINEAGE_SOURCES.map((source, at) => [source, 2 ** at]));

export const encodeSources = (sources: Iterable<string>): SourceSet =>
  [...new Set(sources)].reduce((sum, source) => sum + (VALUES.get(source) ?? 0), NO_SOURCES);

export const overlaps = (one: SourceSet, other: SourceSet): boolean => (one & other) !== NO_SOURCES;
