import { badRequest } from '../errors.ts';
import { equalJson, type Json, type JsonObject } from '../model/json.ts';
import { LineageRequest } from '../model/lineage-values.ts';
import { applyPatch, type PatchOperation, parsePatch } from '../model/patch.ts';
import { check, dropNulls } from '../model/validate.ts';
import type { Assertion, Content, Mapping, Merged } from './edge.ts';
import { contentOf } from './edge.ts';
import { mappingKey } from './merge.ts';
import type { Details } from './put.ts';

/** The members of details that a patch can change; what else it names is left as it is. */
const CHANGEABLE: ReadonlySet<string> = new Set([
  'columnsLineage',
  'pipeline',
  'sqlQuery',
  'description',
  'source',
  'tempLineageTables',
]);

const counts = ({ op, path }: PatchOperation): boolean => op === 'test' || CHANGEABLE.has(path[0] ?? '');

/** What the details become by a patch, checked like those of a request. */
export const patchDetails = (details: JsonObject, body: unknown): Details => {
  const patch = parsePatch(body);
  if (patch.form !== 'operations') throw badRequest('A patch of lineage must be an array of operations');
  const operations = patch.operations.filter(counts);
  const patched = applyPatch(details, { form: 'operations', operations });
  return check(LineageRequest, dropNulls(patched)) as unknown as Details;
};

type Word = 'sqlQuery' | 'description' | 'pipelineId' | 'tempLineageTables';

const wordOf = (content: Content, name: Word): Json | undefined => content[name] as Json | undefined;

/** What patched details say, in the words of a content. */
export type Patched = { readonly content: Content; readonly shownDescription: string | undefined };

const keysOf = (mappings: readonly Mapping[]): ReadonlySet<string> => new Set(mappings.map(mappingKey));

const mappingsAfter = (
  own: readonly Mapping[],
  before: readonly Mapping[],
  after: readonly Mapping[],
): readonly Mapping[] => {
  const [said, old, fresh] = [keysOf(own), keysOf(before), keysOf(after)];
  // Where nobody else says anything of columns, they come in the order in which the patch left them.
  if (before.every((mapping) => said.has(mappingKey(mapping)))) return after;
  const kept = own.filter((mapping) => fresh.has(mappingKey(mapping)));
  return [...kept, ...after.filter((mapping) => !old.has(mappingKey(mapping)))];
};

/**
 * What a source says after a patch: what it said, with what the patch changed of the whole. What other sources say of
 * columns is theirs to take back.
 */
export const contentAfter = (
  own: Assertion | undefined,
  before: Merged,
  { content: after, shownDescription }: Patched,
): Content => {
  const out: { -readonly [K in keyof Content]?: Content[K] } = { ...(own?.content ?? { mappings: [] }) };
  const was: Content = { ...before, ...(shownDescription === undefined ? {} : { description: shownDescription }) };
  for (const name of ['sqlQuery', 'description', 'pipelineId', 'tempLineageTables'] as const) {
    if (equalJson(wordOf(was, name), wordOf(after, name))) continue;
    if (after[name] === undefined) delete out[name];
    else Object.assign(out, { [name]: after[name] });
  }
  // A description that was only beside the details is shown in them as well: it changes with them, and goes with them.
  const isChanged = shownDescription !== undefined && after.description !== shownDescription;
  if (isChanged && (before.description === undefined || after.description === undefined)) delete out.edgeDescription;
  return contentOf({ ...out, mappings: mappingsAfter(own?.content.mappings ?? [], before.mappings, after.mappings) });
};
