import { isArray, isObject, type Json, type JsonObject, member } from '../../../model/json.ts';
import { jsonObject } from '../../../model/json-parts.ts';
import { fqnPart } from '../../../model/name.ts';
import type { FacetBag } from '../event.ts';
import type { FacetChange, FacetTarget } from './facet-room.ts';
import { readFacet } from './facet-shapes.ts';

/**
 * Plans descriptions. What people or connectors wrote stays: an event only describes what has no description, or one
 * that an earlier event of the same caller wrote.
 */

type DescribedField = { readonly name: string; readonly description?: string };

const isBlank = (text: Json | undefined): boolean => typeof text !== 'string' || text.trim() === '';

/** Whether the caller's events wrote the member last. */
const isWrittenByEvents = ({ changeDescription = null }: JsonObject, path: string, caller: string): boolean => {
  const origin = jsonObject(member(jsonObject(member(jsonObject(changeDescription), 'changeSummary')), path));
  return origin['changeSource'] === 'Ingested' && origin['changedBy'] === caller;
};

const describesAnew = (
  document: JsonObject,
  path: string,
  before: Json | undefined,
  after: string,
  caller: string,
): boolean => !isBlank(after) && before !== after && (isBlank(before) || isWrittenByEvents(document, path, caller));

const columnOperations = (document: JsonObject, fields: readonly DescribedField[], caller: string): readonly Json[] => {
  const columns = document['columns'];
  if (!isArray(columns)) return [];
  const told = new Map(fields.map(({ name, description = '' }) => [name.toLowerCase(), description]));
  return columns.flatMap((column, at): readonly Json[] => {
    if (!isObject(column)) return [];
    const name = String(column['name']);
    const text = told.get(name.toLowerCase()) ?? '';
    if (!describesAnew(document, `columns.${fqnPart(name)}.description`, column['description'], text, caller))
      return [];
    // The place of a column may have changed meanwhile, and another must not get its description.
    return [
      { op: 'test', path: `/columns/${at}/name`, value: name },
      { op: 'add', path: `/columns/${at}/description`, value: text },
    ];
  });
};

/** Describes a record by its documentation facet, and a table's columns by its schema facet. */
export const planDocumentation = async (target: FacetTarget, bag: FacetBag): Promise<readonly FacetChange[]> => {
  const { report, subject, room } = target;
  const text = readFacet(bag, 'documentation', subject, report)?.description;
  // The shape of this facet was checked with the event.
  const schema = subject.of === 'dataset' ? bag['schema'] : undefined;
  const { fields = [] } = (schema ?? {}) as { readonly fields?: readonly DescribedField[] };
  const described = fields.filter(({ description }) => !isBlank(description));
  if (text === undefined && described.length === 0) return [];
  const document = await target.document();
  if (!document) return [];
  const caller = room.principal.name;
  const isNew = describesAnew(document, 'description', document['description'], text ?? '', caller);
  if (text !== undefined && !isNew && document['description'] !== text) {
    report.add(subject, 'documentation', 'described already');
  }
  return [
    { facet: 'documentation', operations: isNew ? [{ op: 'add', path: '/description', value: text ?? '' }] : [] },
    { facet: 'schema', operations: columnOperations(document, described, caller) },
  ];
};
