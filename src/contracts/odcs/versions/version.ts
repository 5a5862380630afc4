import type { CatalogError } from '../../../errors.ts';
import { type JsonObject, member } from '../../../model/json.ts';
import { invalidAt } from '../issues.ts';

/** The supported versions of the standard, oldest first. */
export const ODCS_VERSIONS = ['v2.2.0', 'v2.2.1', 'v2.2.2', 'v3.0.0', 'v3.0.1', 'v3.0.2', 'v3.1.0', 'v3.2.0'] as const;
export type OdcsVersion = (typeof ODCS_VERSIONS)[number];

/** The version whose shape documents are converted to when they are read. */
export const NEWEST_VERSION = 'v3.2.0' satisfies OdcsVersion;

/** The version of exports of contracts that no document of a newer one was imported to. */
export const DEFAULT_VERSION = 'v3.1.0' satisfies OdcsVersion;

/** Whether a version equals another one or is later. */
export const isVersionAtLeast = (version: OdcsVersion, other: OdcsVersion): boolean =>
  ODCS_VERSIONS.indexOf(version) >= ODCS_VERSIONS.indexOf(other);

/** Whether a version uses datasets and columns instead of schemas and properties. */
export const isVersion2 = (version: OdcsVersion): boolean => !isVersionAtLeast(version, 'v3.0.0');

const SUPPORTED = [...ODCS_VERSIONS].reverse().join(', ');

/** Parses a version, with or without the `v`. The release 2.2.1 was also published with the number 2.3.0. */
export const parseOdcsVersion = (text: string): OdcsVersion | undefined => {
  const name = `v${text.replace(/^v/, '')}`;
  return name === 'v2.3.0' ? 'v2.2.1' : ODCS_VERSIONS.find((version) => version === name);
};

/** The members that may contain the version; the release 2.2.0 used its own. */
const VERSION_MEMBERS = ['apiVersion', 'standardVersion', 'templateName'] as const;

const hasValue = (document: JsonObject, name: string): boolean => (member(document, name) ?? null) !== null;

const DATA_CONTRACT_SPECIFICATION = 'dataContractSpecification';

/** The error for a document of the format that came before the standard, and that others still write. */
const otherFormatError = (document: JsonObject): CatalogError => {
  const written = member(document, DATA_CONTRACT_SPECIFICATION);
  const version = typeof written === 'string' || typeof written === 'number' ? ` ${String(written).slice(0, 20)}` : '';
  const format = `a document of the Data Contract Specification${version}, which is not ODCS`;
  return invalidAt(
    DATA_CONTRACT_SPECIFICATION,
    `this is ${format}: convert it with \`datacontract export odcs FILE\` of datacontract-cli and import the result`,
  );
};

/** Detects the version that a document declares, or else the one that its members imply (odcs.md 2.2). */
export const detectOdcsVersion = (document: JsonObject): OdcsVersion => {
  const name = VERSION_MEMBERS.find((candidate) => hasValue(document, candidate));
  if (name === undefined) {
    if (hasValue(document, DATA_CONTRACT_SPECIFICATION)) throw otherFormatError(document);
    if (hasValue(document, 'dataset') || hasValue(document, 'uuid')) return 'v2.2.2';
    throw invalidAt('apiVersion', 'required field is missing');
  }
  const written = member(document, name) ?? null;
  const version =
    typeof written === 'string' || typeof written === 'number' ? parseOdcsVersion(String(written)) : undefined;
  if (version === undefined) throw invalidAt(name, `must be one of ${SUPPORTED}`);
  return version;
};
