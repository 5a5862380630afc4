import type { JsonObject } from '../../model/json.ts';
import { canonicalJson, member, withMember, withoutMember } from '../../model/json.ts';
import { downgradeTo2 } from './downgrade-2.ts';
import { downgradeTo3, viewAsVersion3 } from './downgrade-3.ts';
import { createIssueCollector, type Issue, type IssueCollector } from './issue.ts';
import { threeWayMerge } from './overlay.ts';
import { relocateMembers } from './place.ts';
import { sanitizeText } from './problem.ts';
import { repairDocument } from './repair.ts';
import { toLegalRule } from './rules.ts';
import { vocabularyOf } from './speech.ts';
import { checkDocument } from './structure.ts';
import { upgradeFrom2 } from './upgrade-2.ts';
import { upgradeFrom3 } from './upgrade-3.ts';
import { isVersion2, type OdcsVersion } from './version.ts';
import { jsonObjects, mapListMember, mapObjectMember } from './walk.ts';

/** Converts documents between the versions of the standard. */

/** Root members of 2.x that must not be stored. */
const SECRETS = ['username', 'password'] as const;

/** Removes the secrets that 2.x has members for. */
export const removeSecrets = (source: JsonObject, version: OdcsVersion, findings: IssueCollector): JsonObject => {
  if (!isVersion2(version)) return source;
  let result = source;
  for (const name of SECRETS) {
    if (!Object.hasOwn(result, name)) continue;
    result = withoutMember(result, name);
    findings.add({
      severity: 'warning',
      category: 'servers',
      field: name,
      path: name,
      message: 'secrets are not kept',
    });
  }
  return result;
};

/** Converts a document of any version to the shape of 3.1.0. Throws with all its faults. */
export const upgradeDocument = (
  source: JsonObject,
  version: OdcsVersion,
): { document: JsonObject; issues: readonly Issue[] } => {
  const findings = createIssueCollector();
  const document = checkDocument(removeSecrets(source, version, findings), vocabularyOf(version), findings);
  return {
    document: isVersion2(version) ? upgradeFrom2(document) : upgradeFrom3(document, version),
    issues: findings.found(),
  };
};

/** A converted document, and the paths that its version cannot represent. */
export type DowngradedDocument = { readonly document: JsonObject; readonly dropped: readonly string[] };

/** Converts a document in the shape of 3.1.0 to a version. */
export const downgradeDocument = (document: JsonObject, version: OdcsVersion): DowngradedDocument => {
  const dropped: string[] = [];
  const found = relocateMembers(document);
  const write = isVersion2(version) ? downgradeTo2 : downgradeTo3;
  return { document: write(found, version, dropped), dropped: limitPaths(dropped) };
};

/** The maximum number of paths that are reported. */
const MAX_PATHS = 1_000;

const limitPaths = (dropped: readonly string[]): readonly string[] => dropped.slice(0, MAX_PATHS).map(sanitizeText);

/** The source of an imported document, as the caller stored it. */
export type ImportedSource = {
  readonly version: OdcsVersion;
  readonly source: JsonObject;
  /** Whether it was joined from documents of several versions. */
  readonly joined?: true;
};

/**
 * Whether a dropped path is a list item. Items are dropped for lacking what their version requires; members are
 * dropped because the version does not define them.
 */
const isItemPath = (path: string): boolean => path.endsWith(']');

/** Converts a document for comparison with its source, keeping members in places that no version defines. */
const viewAsVersion = (document: JsonObject, version: OdcsVersion): DowngradedDocument => {
  const dropped: string[] = [];
  const write = isVersion2(version) ? downgradeTo2 : viewAsVersion3;
  return { document: write(document, version, dropped), dropped };
};

/** Whether a document of 3.0.x contains values that only 3.1.0 can represent. */
const usesNewerMembers = ({ source, version }: ImportedSource, document: JsonObject): boolean => {
  if (isVersion2(version) || version === 'v3.1.0') return false;
  const parts = [...jsonObjects(member(source, 'schema')).map((object) => member(object, 'relationships'))];
  if (version === 'v3.0.0') parts.push(member(source, 'authoritativeDefinitions'));
  if (parts.some((part) => part !== undefined)) return true;
  const unknown = new Set(viewAsVersion(document, 'v3.1.0').dropped);
  return viewAsVersion(document, version).dropped.some((path) => !unknown.has(path));
};

/**
 * Exports an edited document in a version. In the version of its source, unedited parts stay as written; only known
 * violations of the 3.1.0 schema are repaired.
 */
export const exportAsVersion = (
  edited: JsonObject,
  kept: ImportedSource | undefined,
  version: OdcsVersion,
): DowngradedDocument => {
  const downgradeEdited = (): DowngradedDocument => downgradeDocument(edited, version);
  if (kept === undefined || kept.version !== version) return downgradeEdited();
  if (kept.joined) {
    const written = downgradeEdited();
    if (written.dropped.every(isItemPath)) return written;
  }
  const { document: read } = upgradeDocument(kept.source, version);
  const viewVersion = usesNewerMembers(kept, read) ? 'v3.1.0' : version;
  const base = viewAsVersion(read, viewVersion);
  const target = viewAsVersion(edited, viewVersion);
  const known = new Set(base.dropped);
  const dropped = limitPaths(target.dropped.filter((path) => !known.has(path)));
  const document = threeWayMerge(kept.source, base.document, target.document);
  if (isVersion2(version)) return { document, dropped };
  // Since 3.0 the version has one spelling; documents of 2.x keep the one in their source.
  const declared = withMember(document, 'apiVersion', version);
  return { document: version === 'v3.1.0' ? repairDocument(declared) : keepOriginalRules(declared, kept), dropped };
};

/**
 * Writes rules that are new in a document of 3.0.x in the notation of that version, whatever notation the others
 * have.
 */
const keepOriginalRules = (document: JsonObject, { source, version }: ImportedSource): JsonObject => {
  const came = new Set<string>();
  const note = (rule: JsonObject): JsonObject => {
    came.add(canonicalJson(rule));
    return rule;
  };
  mapRules(source, note);
  return mapRules(document, (rule) => (came.has(canonicalJson(rule)) ? rule : toLegalRule(rule, version)));
};

const mapRules = (document: JsonObject, change: (rule: JsonObject) => JsonObject): JsonObject => {
  const inner = (object: JsonObject): JsonObject =>
    mapObjectMember(mapListMember(mapListMember(object, 'quality', change), 'properties', inner), 'items', inner);
  return mapListMember(document, 'schema', inner);
};
