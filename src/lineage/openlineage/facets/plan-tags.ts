import type { Json, JsonObject } from '../../../model/json.ts';
import { jsonObjects } from '../../../model/json-parts.ts';
import { validFullNames } from '../dataset-meaning.ts';
import type { FacetBag } from '../event.ts';
import { type FacetChange, type FacetTarget, findVisible } from './facet-room.ts';
import { type Facet, readFacet } from './facet-shapes.ts';

/** Plans the tags of a facet that the catalog has, for a record or for its columns. None is removed. */

type FacetTag = NonNullable<Facet<'tags'>['tags']>[number];

/** The tags that a key and its value may be: `PII.Sensitive`, or `PII` with the value `Sensitive`. */
const tagNames = ({ key, value = '' }: FacetTag): readonly string[] =>
  validFullNames([...(value === '' || value === 'true' ? [] : [`${key}.${value}`]), key]);

const textOf = ({ key, value = '' }: FacetTag): string => (value === '' || value === key ? key : `${key}: ${value}`);

const findTag = async ({ room }: FacetTarget, tag: FacetTag): Promise<string | undefined> => {
  for (const fqn of tagNames(tag)) {
    const found = fqn.includes('.') ? await findVisible(room, 'tag', fqn) : undefined;
    if (found) return found.fullyQualifiedName;
  }
  return undefined;
};

const hasTag = (labels: Json | undefined, fqn: string): boolean =>
  jsonObjects(labels).some(({ tagFQN }) => tagFQN === fqn);

const labelOf = (tagFQN: string): JsonObject => ({
  tagFQN,
  source: 'Classification',
  labelType: 'Automated',
  state: 'Confirmed',
});

/** The operations that add a tag; undefined when the record has no such column. */
const operationsFor = (document: JsonObject, field: string | undefined, fqn: string): readonly Json[] | undefined => {
  if (field === undefined || field === '') {
    return hasTag(document['tags'], fqn) ? [] : [{ op: 'add', path: '/tags/-', value: labelOf(fqn) }];
  }
  const columns = jsonObjects(document['columns']);
  const at = columns.findIndex(({ name }) => String(name).toLowerCase() === field.toLowerCase());
  const column = columns[at];
  if (column === undefined) return undefined;
  if (hasTag(column['tags'], fqn)) return [];
  return [
    { op: 'test', path: `/columns/${at}/name`, value: column['name'] ?? null },
    { op: 'add', path: `/columns/${at}/tags/-`, value: labelOf(fqn) },
  ];
};

export const planTags = async (target: FacetTarget, bag: FacetBag): Promise<readonly FacetChange[]> => {
  const { report, subject } = target;
  const tags = readFacet(bag, 'tags', subject, report)?.tags ?? [];
  const document = tags.length === 0 ? undefined : await target.document();
  if (!document) return [];
  const added = new Map<string, readonly Json[]>();
  for (const tag of tags) {
    const fqn = await findTag(target, tag);
    const operations = fqn === undefined ? undefined : operationsFor(document, tag.field, fqn);
    if (fqn === undefined) report.add(subject, 'tags', `no tag ${textOf(tag)}`);
    else if (operations === undefined) report.add(subject, 'tags', `no column ${tag.field ?? ''}`);
    else added.set(`${tag.field ?? ''} ${fqn}`, operations);
  }
  return [{ facet: 'tags', operations: [...added.values()].flat() }];
};
