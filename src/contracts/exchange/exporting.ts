import type { Engine } from '../../catalog/engine.ts';
import type { View } from '../../catalog/read/render.ts';
import { render } from '../../catalog/read/render.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { exportContract, type Section } from '../odcs/export.ts';
import { namedIn } from '../odcs/import.ts';
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

/** A contract in a version of the standard, as far as the sections asked for go. */
export const exportRecord = async (
  engine: Engine,
  record: Snapshot,
  view: View,
  { sections, version }: { readonly sections: ReadonlySet<Section>; readonly version: OdcsVersion },
): Promise<Exported> => {
  const [entity] = record.related['entity'] ?? [];
  const pointer = { id: String(record.values['entityId']), type: entity?.entityType ?? '' };
  const ids = (record.related['qualityExpectations'] ?? []).map(({ id }) => id);
  const [subject, kept, tests] = await Promise.all([
    findSubject(engine, pointer, TARGET_FIELDS),
    findSource(engine, record.id),
    ids.length > 0 ? engine.graph.read(listTests, { ids }) : [],
  ]);
  const document = kept && upgraded(kept.source, kept.version).document;
  const lookup = await lookUp(engine, document ? namedIn(document) : { people: [], tags: [] });
  const edited = exportContract(render(record, view), document, targetOf(subject), {
    sections,
    testCases: tests.map(asTest),
    lookup,
    ...(kept ? { imported: kept.made } : {}),
    ...(kept?.objectName === undefined ? {} : { objectName: kept.objectName }),
  });
  const exported = exportAs(edited, kept, version);
  return { document: inRootOrder(exported.document), dropped: exported.dropped };
};
