import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { checkPermissions, filterPermittedIds, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { redactSnapshot, redactValues } from '../../catalog/read/redaction.ts';
import type { View } from '../../catalog/read/render.ts';
import { renderRecord } from '../../catalog/read/render.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type ExportSection, exportContract } from '../odcs/export.ts';
import { findDocumentReferences } from '../odcs/import.ts';
import type { ImportTarget } from '../odcs/schema/read-schema.ts';
import { orderRootMembers } from '../odcs/texts/yaml.ts';
import { exportAsVersion, upgradeDocument } from '../odcs/versions/convert.ts';
import { DEFAULT_VERSION, NEWEST_VERSION, type OdcsVersion } from '../odcs/versions/version.ts';
import { type ExpectedTestRow, listExpectedTests } from '../queries.ts';
import { findSubject } from '../subject.ts';
import { resolveDocumentReferences, TARGET_FIELDS, toImportTarget } from './import-target.ts';
import { findStoredSource } from './source-document.ts';
import { addServer, findServiceServer } from './visible-server.ts';

/** Exports contracts as ODCS documents. */

export type ExportedDocument = {
  readonly document: JsonObject;
  /** The paths of values that the version of the document cannot represent. */
  readonly dropped: readonly string[];
};

const toTestJson = ({ id, valuesJson, columnName, displayName, description, ...row }: ExpectedTestRow): JsonObject => ({
  id,
  ...row,
  ...(displayName === null ? {} : { displayName }),
  ...(description === null ? {} : { description }),
  ...(columnName === null ? {} : { column: columnName }),
  parameterValues: valuesJson === null ? [] : (JSON.parse(valuesJson) as Json),
});

/** Reads what an exported document says about the record, if the caller may view the record. */
const readVisibleTarget = async (engine: Engine, principal: Principal, subject: Snapshot): Promise<ImportTarget> => {
  const found = { entityType: subject.kind.entityType, entityId: subject.id };
  const [isSeen] = await checkPermissions(engine, principal, VIEW_OPERATIONS, [found]);
  const shown = await redactSnapshot(engine, principal, subject);
  if (isSeen) return toImportTarget(shown);
  const { displayName: _name, description: _text, parentName: _parent, ...target } = toImportTarget(shown);
  return { ...target, domains: [], dataProducts: [] };
};

/** Reads the tests that a contract expects, limited to those the caller may see. */
const readVisibleTests = async (
  engine: Engine,
  principal: Principal,
  record: Snapshot,
): Promise<readonly ExpectedTestRow[]> => {
  const all = (record.related['qualityExpectations'] ?? []).map(({ id }) => id);
  const ids = all.length > 0 ? await filterPermittedIds(engine, principal, VIEW_OPERATIONS, 'testCase', all) : [];
  return ids.length > 0 ? engine.graph.read(listExpectedTests, { ids }) : [];
};

/** Reads the source document of a contract and resolves the people and tags that it names. */
const readSourceWithReferences = async (engine: Engine, { id }: Snapshot) => {
  const kept = await findStoredSource(engine, id);
  const document = kept && upgradeDocument(kept.source, kept.version).document;
  const lookup = await resolveDocumentReferences(
    engine,
    document ? findDocumentReferences(document) : { people: [], tags: [] },
  );
  return { kept, document, lookup };
};

export type ContractExportRequest = {
  readonly principal: Principal;
  readonly sections: ReadonlySet<ExportSection>;
  /** The version of the document; by default the one that loses nothing of the contract's source. */
  readonly version?: OdcsVersion;
};

/** Exports a contract in a version of the standard, limited to the requested sections. */
export const exportStoredContract = async (
  engine: Engine,
  record: Snapshot,
  view: View,
  { principal, sections, version }: ContractExportRequest,
): Promise<ExportedDocument> => {
  const [entity] = record.related['entity'] ?? [];
  const pointer = { id: String(record.values['entityId']), type: entity?.entityType ?? '' };
  const subject = await findSubject(engine, pointer, TARGET_FIELDS);
  const [target, server, { kept, document, lookup }, tests] = await Promise.all([
    readVisibleTarget(engine, principal, subject),
    findServiceServer(engine, principal, subject, view),
    readSourceWithReferences(engine, record),
    readVisibleTests(engine, principal, record),
  ]);
  const [shown = {}] = await redactValues(engine, principal, [renderRecord(record, view)]);
  const edited = exportContract(shown, document, target, {
    sections,
    testCases: await redactValues(engine, principal, tests.map(toTestJson)),
    lookup,
    ...(kept ? { imported: kept.made } : {}),
    ...(kept?.objectName === undefined ? {} : { objectName: kept.objectName }),
  });
  const exported = exportAsVersion(
    addServer(edited, server),
    kept,
    version ?? (kept?.version === NEWEST_VERSION ? NEWEST_VERSION : DEFAULT_VERSION),
  );
  return { document: orderRootMembers(exported.document), dropped: exported.dropped };
};
