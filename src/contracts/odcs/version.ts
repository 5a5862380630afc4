import { type JsonObject, member } from '../../model/json.ts';
import { invalidAt } from './problem.ts';

/** The versions of the standard that are read and written, oldest first. */
export const ODCS_VERSIONS = ['v2.2.0', 'v2.2.1', 'v2.2.2', 'v3.0.0', 'v3.0.1', 'v3.0.2', 'v3.1.0'] as const;
export type OdcsVersion = (typeof ODCS_VERSIONS)[number];

/** Whether a version is another one or a later one. */
export const isVersionAtLeast = (version: OdcsVersion, other: OdcsVersion): boolean =>
  ODCS_VERSIONS.indexOf(version) >= ODCS_VERSIONS.indexOf(other);

/** Whether a document of the version speaks of datasets and columns instead of schemas and properties. */
export const isVersion2 = (version: OdcsVersion): boolean => !isVersionAtLeast(version, 'v3.0.0');

const SUPPORTED = [...ODCS_VERSIONS].reverse().join(', ');

/** The version that a text means, with or without the `v`; the number 2.3.0 was printed in the release 2.2.1. */
export const parseOdcsVersion = (text: string): OdcsVersion | undefined => {
  const name = `v${text.replace(/^v/, '')}`;
  return name === 'v2.3.0' ? 'v2.2.1' : ODCS_VERSIONS.find((version) => version === name);
};

/** The members that say the version, and the release 2.2.0 had its own words for it. */
const VERSION_MEMBERS = ['apiVersion', 'standardVersion', 'templateName'] as const;

const hasValue = (document: JsonObject, name: string): boolean => (member(document, name) ?? null) !== null;

/** The version that a document declares, or shows by what it is made of (odcs.md 2.2). */
export const detectOdcsVersion = (document: JsonObject): OdcsVersion => {
  const name = VERSION_MEMBERS.find((candidate) => hasValue(document, candidate));
  if (name === undefined) {
    if (hasValue(document, 'dataset') || hasValue(document, 'uuid')) return 'v2.2.2';
    throw invalidAt('apiVersion', 'required field is missing');
  }
  const written = member(document, name) ?? null;
  const version =
    typeof written === 'string' || typeof written === 'number' ? parseOdcsVersion(String(written)) : undefined;
  if (version === undefined) throw invalidAt(name, `must be one of ${SUPPORTED}`);
  return version;
};
