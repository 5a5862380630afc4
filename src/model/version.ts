/** How far a change takes the version: `minor` is backward compatible, `major` is not. */
export type VersionStep = 'minor' | 'major';

/** What an entity tag is made of; none of it depends on the requested fields. */
export type VersionedState = { readonly id: string; readonly version: number; readonly updatedAt: number };

/** The version of a record that was just created. */
export const FIRST_VERSION = 0.1;

/** A number rounded to one decimal, so that 0.1 + 0.2 is 0.3. */
export const roundVersion = (value: number): number => Math.round(value * 10) / 10;

/** The version after a change: 0.9 becomes 1.0 (minor), 0.3 becomes 1.3 (major). */
export const nextVersion = (version: number, step: VersionStep): number =>
  roundVersion(version + (step === 'major' ? 1 : 0.1));

/** A version with its one decimal, as paths and tags show it: 1 is `1.0`. */
export const formatVersion = (version: number): string => version.toFixed(1);

/** The version a path segment or tag names, compared as a number (`1` is `1.0`); undefined when it names none. */
export const parseVersion = (text: string): number | undefined =>
  /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined;

const opaqueTagOf = ({ id, version, updatedAt }: VersionedState): string =>
  `${id.slice(0, 8)}-${formatVersion(version)}-${updatedAt}`;

/** The strong entity tag of a state of a record, quotes included. */
export const etagOfVersion = (id: string, version: number, updatedAt: number): string =>
  `"${opaqueTagOf({ id, version, updatedAt })}"`;

/**
 * Whether one of the listed tags names the current state. A weak tag may hold the version alone, as OpenMetadata clients
 * send it, or the strong tag, as a compressing proxy passes it on. What is no tag matches nothing.
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

/** Whether a write may go on: there is no `If-Match`, it is `*`, or it names the current state. */
export const matchesIfMatch = (header: string | undefined, current: VersionedState): boolean =>
  header === undefined || matchesCurrentTag(header, current);

/** Whether the caller already has the current state: `If-None-Match` is present and names it. */
export const matchesIfNoneMatch = (header: string | undefined, current: VersionedState): boolean =>
  header !== undefined && matchesCurrentTag(header, current);
