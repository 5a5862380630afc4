/** Versions of records, and the entity tags built from them. */

/** How a change increments the version: `minor` is backward compatible, `major` is not. */
export type VersionStep = 'minor' | 'major';

/** The parts of an entity tag. None depends on the requested fields. */
export type VersionedState = { readonly id: string; readonly version: number; readonly updatedAt: number };

/** The version of a new record. */
export const FIRST_VERSION = 0.1;

/** Rounds a number to one decimal, so that 0.1 + 0.2 is 0.3. */
export const roundVersion = (value: number): number => Math.round(value * 10) / 10;

/** The version after a change: 0.9 becomes 1.0 (minor), 0.3 becomes 1.3 (major). */
export const nextVersion = (version: number, step: VersionStep): number =>
  roundVersion(version + (step === 'major' ? 1 : 0.1));

/** Formats a version with one decimal, as in paths and tags: 1 is `1.0`. */
export const formatVersion = (version: number): string => version.toFixed(1);

/** Parses the version in a path segment or tag as a number (`1` is `1.0`); undefined when it is none. */
export const parseVersion = (text: string): number | undefined =>
  /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined;

const opaqueTagOf = ({ id, version, updatedAt }: VersionedState): string =>
  `${id.slice(0, 8)}-${formatVersion(version)}-${updatedAt}`;

/** Builds the strong entity tag of a version of a record, quotes included. */
export const etagOfVersion = (id: string, version: number, updatedAt: number): string =>
  `"${opaqueTagOf({ id, version, updatedAt })}"`;

/**
 * Whether one of the listed tags is the present one. A weak tag may hold the version alone, as OpenMetadata clients
 * send it, or the strong tag, as a compressing proxy passes it on. Anything else matches nothing.
 */
const matchesCurrentTag = (header: string, current: VersionedState): boolean => {
  if (header.trim() === '*') return true;
  const opaque = opaqueTagOf(current);
  for (const [, weak, tag = ''] of header.matchAll(/(W\/)?"([^"]*)"/g)) {
    if (tag === opaque) return true;
    if (weak !== undefined && parseVersion(tag) === current.version) return true;
  }
  return false;
};

/** Whether a write may proceed: there is no `If-Match`, it is `*`, or it names the present version. */
export const matchesIfMatch = (header: string | undefined, current: VersionedState): boolean =>
  header === undefined || matchesCurrentTag(header, current);

/** Whether the caller already has the present version: `If-None-Match` is present and names it. */
export const matchesIfNoneMatch = (header: string | undefined, current: VersionedState): boolean =>
  header !== undefined && matchesCurrentTag(header, current);
