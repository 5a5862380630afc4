import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { acceptedIds, permitted, VIEW } from '../../catalog/read/facts.ts';
import type { View } from '../../catalog/read/render.ts';
import { render } from '../../catalog/read/render.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { redactAll, redactSnapshot } from '../../catalog/read/visibility.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { exportContract, type Section } from '../odcs/export.ts';
import { namedIn } from '../odcs/import.ts';
import type { Target } from '../odcs/target.ts';
import type { OdcsVersion } from '../odcs/version.ts';
import { exportAs, upgraded } from '../odcs/versions.ts';
import { inRootOrder } from '../odcs/write.ts';
import { listTests, type TestRow } from '../queries.ts';
import { findSubject } from '../subject.ts';
import { findSource } from './source.ts';
import { lookUp, TARGET_FIELDS, targetOf } from './target.ts';

/** Contracts as documents of the standard. */

export type Exported = {
  readonly document: JsonObject;
  /** What the version has no place for, by its paths. */
  readonly dropped: readonly string[];
};

const asTest = ({ id, valuesJson, columnName, displayName, description, ...row }: TestRow): JsonObject => ({
  id,
  ...row,
  ...(displayName === null ? {} : { displayName }),
  ...(description === null ? {} : { description }),
  ...(columnName === null ? {} : { column: columnName }),
  parameterValues: valuesJson === null ? [] : (JSON.parse(valuesJson) as Json),
});

/** What of a record documents tell beside its contract, for those who may see the record. */
const seenTarget = async (engine: Engine, principal: Principal, subject: Snapshot): Promise<Target> => {
  const found = { entityType: subject.kind.entityType, entityId: subject.id };
  const [isSeen] = await permitted(engine, principal, VIEW, [found]);
  const shown = await redactSnapshot(engine, principal, subject);
  if (isSeen) return targetOf(shown);
  const { displayName: _name, description: _text, parentName: _parent, ...target } = targetOf(shown);
  return { ...target, domains: [], dataProducts: [] };
};

/** The tests that a contract expects, as far as the caller may see them. */
const seenTests = async (engine: Engine, principal: Principal, record: Snapshot): Promise<readonly TestRow[]> => {
  const all = (record.related['qualityExpectations'] ?? []).map(({ id }) => id);
  const ids = all.length > 0 ? await acceptedIds(engine, principal, VIEW, 'testCase', all) : [];
  return ids.length > 0 ? engine.graph.read(listTests, { ids }) : [];
};

/** The document that a contract was read from, with everybody and everything that it names. */
const findDocument = async (engine: Engine, { id }: Snapshot) => {
  const kept = await findSource(engine, id);
  const document = kept && upgraded(kept.source, kept.version).document;
  const lookup = await lookUp(engine, document ? namedIn(document) : { people: [], tags: [] });
  return { kept, document, lookup };
};

export type Asked = {
  readonly principal: Principal;
  readonly sections: ReadonlySet<Section>;
  readonly version: OdcsVersion;
};

/** A contract in a version of the standard, as far as the sections asked for go. */
export const exportRecord = async (
  engine: Engine,
  record: Snapshot,
  view: View,
  { principal, sections, version }: Asked,
): Promise<Exported> => {
  const [entity] = record.related['entity'] ?? [];
  const pointer = { id: String(record.values['entityId']), type: entity?.entityType ?? '' };
  const [target, { kept, document, lookup }, tests] = await Promise.all([
    findSubject(engine, pointer, TARGET_FIELDS).then((subject) => seenTarget(engine, principal, subject)),
    findDocument(engine, record),
    seenTests(engine, principal, record),
  ]);
  const [shown = {}] = await redactAll(engine, principal, [render(record, view)]);
  const edited = exportContract(shown, document, target, {
    sections,
    testCases: await redactAll(engine, principal, tests.map(asTest)),
    lookup,
    ...(kept ? { imported: kept.made } : {}),
    ...(kept?.objectName === undefined ? {} : { objectName: kept.objectName }),
  });
  const exported = exportAs(edited, kept, version);
  return { document: inRootOrder(exported.document), dropped: exported.dropped };
};
