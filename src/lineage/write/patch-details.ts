import { badRequest } from '../../errors.ts';
import { equalJson, type Json, type JsonObject } from '../../model/json.ts';
import { applyPatch, type PatchOperation, parsePatch } from '../../model/language/patch.ts';
import { LineageDetailsInput } from '../../model/schemas/lineage/lineage.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import type { Assertion, AssertionContent, ColumnMapping, MergedEdge } from '../edge.ts';
import { buildContent } from '../edge.ts';
import { mappingKey } from '../merge-assertions.ts';
import type { EdgeDetailsInput } from './put-edge.ts';

/** The members of lineage details that a patch may change; others are ignored. */
const CHANGEABLE: ReadonlySet<string> = new Set([
  'columnsLineage',
  'pipeline',
  'sqlQuery',
  'description',
  'source',
  'sourceName',
  'tempLineageTables',
]);

const isApplicable = ({ op, path }: PatchOperation): boolean => op === 'test' || CHANGEABLE.has(path[0] ?? '');

/** Applies a patch to lineage details and validates the result like the details of a request. */
export const patchDetails = (details: JsonObject, body: unknown): EdgeDetailsInput => {
  const patch = parsePatch(body);
  if (patch.form !== 'operations') throw badRequest('A lineage patch must be an array of operations');
  const operations = patch.operations.filter(isApplicable);
  const patched = applyPatch(details, { form: 'operations', operations });
  return validate(LineageDetailsInput, dropNulls(patched)) as unknown as EdgeDetailsInput;
};

type ContentField = 'sqlQuery' | 'description' | 'pipelineId' | 'tempLineageTables';

const contentFieldOf = (content: AssertionContent, name: ContentField): Json | undefined =>
  content[name] as Json | undefined;

/** Patched details converted to an assertion content. */
export type PatchedContent = { readonly content: AssertionContent; readonly shownDescription: string | undefined };

const mappingKeysOf = (mappings: readonly ColumnMapping[]): ReadonlySet<string> => new Set(mappings.map(mappingKey));

const patchMappings = (
  own: readonly ColumnMapping[],
  before: readonly ColumnMapping[],
  after: readonly ColumnMapping[],
): readonly ColumnMapping[] => {
  const [ownKeys, old, fresh] = [mappingKeysOf(own), mappingKeysOf(before), mappingKeysOf(after)];
  // When no other source asserts mappings, they keep the order in which the patch left them.
  if (before.every((mapping) => ownKeys.has(mappingKey(mapping)))) return after;
  const remaining = own.filter((mapping) => fresh.has(mappingKey(mapping)));
  return [...remaining, ...after.filter((mapping) => !old.has(mappingKey(mapping)))];
};

/**
 * Computes the content of a source after a patch of the merged details. Mappings that other sources assert stay,
 * because only those sources can withdraw them.
 */
export const patchContent = (
  own: Assertion | undefined,
  before: MergedEdge,
  { content: after, shownDescription }: PatchedContent,
): AssertionContent => {
  const out: { -readonly [K in keyof AssertionContent]?: AssertionContent[K] } = {
    ...(own?.content ?? { mappings: [] }),
  };
  const was: AssertionContent = {
    ...before,
    ...(shownDescription === undefined ? {} : { description: shownDescription }),
  };
  for (const name of ['sqlQuery', 'description', 'pipelineId', 'tempLineageTables'] as const) {
    if (equalJson(contentFieldOf(was, name), contentFieldOf(after, name))) continue;
    if (after[name] === undefined) delete out[name];
    else Object.assign(out, { [name]: after[name] });
  }
  // A description given only next to the details is also shown inside them, so changing or removing it there changes
  // both.
  const isChanged = shownDescription !== undefined && after.description !== shownDescription;
  if (isChanged && (before.description === undefined || after.description === undefined)) delete out.edgeDescription;
  return buildContent({
    ...out,
    mappings: patchMappings(own?.content.mappings ?? [], before.mappings, after.mappings),
  });
};
