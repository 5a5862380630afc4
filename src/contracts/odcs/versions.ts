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

/** Documents between the versions of the standard. */

/** Root members of 2.x that nobody must keep. */
const SECRETS = ['username', 'password'] as const;

/** The document without the secrets that 2.x asked for. */
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

/** A document as its version writes it in the shape of 3.1.0; refused with all that is wrong in it. */
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

/** A document as it is to be written, and the paths of what its version has no place for. */
export type DowngradedDocument = { readonly document: JsonObject; readonly dropped: readonly string[] };

/** A document in the shape of 3.1.0 as a version writes it. */
export const downgradeDocument = (document: JsonObject, version: OdcsVersion): DowngradedDocument => {
  const dropped: string[] = [];
  const found = relocateMembers(document);
  const write = isVersion2(version) ? downgradeTo2 : downgradeTo3;
  return { document: write(found, version, dropped), dropped: limitPaths(dropped) };
};

/** More paths are not told of: whoever reads them has stopped reading. */
const MAX_PATHS = 1_000;

const limitPaths = (dropped: readonly string[]): readonly string[] => dropped.slice(0, MAX_PATHS).map(sanitizeText);

/** What a caller kept of an imported document. */
export type ImportedSource = {
  readonly version: OdcsVersion;
  readonly source: JsonObject;
  /** It was joined from documents of several versions, so that nobody wrote it as it is. */
  readonly joined?: true;
};

/** Items that are dropped lack what their version asks of all; members that are dropped are known to nobody. */
const isItemPath = (path: string): boolean => path.endsWith(']');

/** A document as its source sees it: what stands in no version's place stays there. */
const viewAsVersion = (document: JsonObject, version: OdcsVersion): DowngradedDocument => {
  const dropped: string[] = [];
  const write = isVersion2(version) ? downgradeTo2 : viewAsVersion3;
  return { document: write(document, version, dropped), dropped };
};

/** Whether a document of 3.0.x says what only 3.1.0 has a place for. */
const usesNewerMembers = ({ source, version }: ImportedSource, document: JsonObject): boolean => {
  if (isVersion2(version) || version === 'v3.1.0') return false;
  const parts = [...jsonObjects(member(source, 'schema')).map((object) => member(object, 'relationships'))];
  if (version === 'v3.0.0') parts.push(member(source, 'authoritativeDefinitions'));
  if (parts.some((part) => part !== undefined)) return true;
  const unknown = new Set(viewAsVersion(document, 'v3.1.0').dropped);
  return viewAsVersion(document, version).dropped.some((path) => !unknown.has(path));
};

/**
 * An edited document in a version. In the version of its source, whatever was not edited is as it was written there;
 * only what 3.1.0 is known to be broken by is put right.
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
  // Since 3.0 the version has one spelling; before, documents are known by the one they came with.
  const declared = withMember(document, 'apiVersion', version);
  return { document: version === 'v3.1.0' ? repairDocument(declared) : keepOriginalRules(declared, kept), dropped };
};

/** Rules that did not come with a document of 3.0.x are said in its words, whatever the others are said in. */
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
