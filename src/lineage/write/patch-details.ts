import { badRequest } from '../../errors.ts';
import { equalJson, type Json, type JsonObject } from '../../model/json.ts';
import { applyPatch, type PatchOperation, parsePatch } from '../../model/language/patch.ts';
import { LineageDetailsInput } from '../../model/schemas/lineage/lineage.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import type { Assertion, AssertionContent, ColumnMapping, MergedEdge } from '../edge.ts';
import { buildContent } from '../edge.ts';
import { mappingKey } from '../merge-assertions.ts';
import type { EdgeDetailsInput } from './put-edge.ts';

/** The members of details that a patch can change; what else it names is left as it is. */
const CHANGEABLE: ReadonlySet<string> = new Set([
  'columnsLineage',
  'pipeline',
  'sqlQuery',
  'description',
  'source',
  'tempLineageTables',
]);

const isApplicable = ({ op, path }: PatchOperation): boolean => op === 'test' || CHANGEABLE.has(path[0] ?? '');

/** What the details become by a patch, checked like those of a request. */
export const patchDetails = (details: JsonObject, body: unknown): EdgeDetailsInput => {
  const patch = parsePatch(body);
  if (patch.form !== 'operations') throw badRequest('A patch of lineage must be an array of operations');
  const operations = patch.operations.filter(isApplicable);
  const patched = applyPatch(details, { form: 'operations', operations });
  return validate(LineageDetailsInput, dropNulls(patched)) as unknown as EdgeDetailsInput;
};

type ContentField = 'sqlQuery' | 'description' | 'pipelineId' | 'tempLineageTables';

const contentFieldOf = (content: AssertionContent, name: ContentField): Json | undefined =>
  content[name] as Json | undefined;

/** What patched details say, in the words of a content. */
export type PatchedContent = { readonly content: AssertionContent; readonly shownDescription: string | undefined };

const mappingKeysOf = (mappings: readonly ColumnMapping[]): ReadonlySet<string> => new Set(mappings.map(mappingKey));

const patchMappings = (
  own: readonly ColumnMapping[],
  before: readonly ColumnMapping[],
  after: readonly ColumnMapping[],
): readonly ColumnMapping[] => {
  const [said, old, fresh] = [mappingKeysOf(own), mappingKeysOf(before), mappingKeysOf(after)];
  // Where nobody else says anything of columns, they come in the order in which the patch left them.
  if (before.every((mapping) => said.has(mappingKey(mapping)))) return after;
  const kept = own.filter((mapping) => fresh.has(mappingKey(mapping)));
  return [...kept, ...after.filter((mapping) => !old.has(mappingKey(mapping)))];
};

/**
 * What a source says after a patch: what it said, with what the patch changed of the whole. What other sources say of
 * columns is theirs to take back.
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
  // A description that was only beside the details is shown in them as well: it changes with them, and goes with them.
  const isChanged = shownDescription !== undefined && after.description !== shownDescription;
  if (isChanged && (before.description === undefined || after.description === undefined)) delete out.edgeDescription;
  return buildContent({
    ...out,
    mappings: patchMappings(own?.content.mappings ?? [], before.mappings, after.mappings),
  });
};
