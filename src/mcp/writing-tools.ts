import * as v from 'valibot';
import { recordNotFound } from '../errors.ts';
import { type Json, type JsonObject, memberAt } from '../model/json.ts';
import { fqnPart, splitFqn } from '../model/name.ts';
import { addEdge } from './add-edge.ts';
import { findPart } from './asset-part.ts';
import { assetPath, rowsOf, suggestAssetNames } from './assets.ts';
import { answerProposal, patchAsset, proposalAnswers, readAssetState, writeArguments } from './propose-change.ts';
import {
  assetFacts,
  assetName,
  assetType,
  choiceArgument,
  defineTool,
  nameArgument,
  type Tool,
  type ToolContext,
  textArgument,
} from './tool.ts';

/** Tools that change assets. They are offered to connections that are configured to write. */

const MAX_DESCRIPTION = 20_000;

const column = v.optional(
  nameArgument('Name of a column or field, relative to the asset or fully qualified; the asset itself by default'),
);

const partFacts = { ...assetFacts, column: v.optional(v.string()) };

const describe = defineTool({
  name: 'describe',
  title: 'Describe an asset',
  description:
    'Replaces the description of an asset or of one of its columns. Shows it before and after unless dryRun is false.',
  writes: true,
  answers: proposalAnswers(partFacts, v.string()),
  schema: v.strictObject({
    fqn: assetName,
    type: assetType,
    column,
    description: textArgument('The whole new description in Markdown', MAX_DESCRIPTION),
    ...writeArguments,
  }),
  run: async (context, { description, ...input }) => {
    const state = await readAssetState(context, input);
    const part = findPart(state, input.column);
    const present = part.value['description'];
    const operation = { op: 'add', path: `${part.pointer}/description`, value: description };
    const linesOf = (text: Json | undefined): string[] => (text === undefined ? [] : String(text).split('\n'));
    return answerProposal(
      {
        facts: {
          type: state.asset.type,
          fqn: state.asset.fqn,
          ...(part.name === undefined ? {} : { column: part.name }),
        },
        before: linesOf(present),
        after: linesOf(description),
        isSame: present === description,
        revision: state.revision,
        send: (dryRun) => patchAsset(context, state, [operation], dryRun),
      },
      input,
    );
  },
});

const TAG_KINDS = [
  ['tag', 'Classification'],
  ['glossaryTerm', 'Glossary'],
] as const;

const MAX_SIBLINGS = 20;

/** Names the tags that a classification has, for a tag that it does not have. */
const suggestTags = async (context: ToolContext, name: string): Promise<string | undefined> => {
  const [classification = '', ...others] = splitFqn(name);
  if (others.length === 0) return undefined;
  const query = { parent: fqnPart(classification), limit: MAX_SIBLINGS };
  const found = await context.api.readIfPresent({ path: 'tags', query });
  const names = rowsOf(found?.['data']).map(({ fullyQualifiedName }) => String(fullyQualifiedName));
  const unnamed = Number(memberAt(found, 'paging', 'total')) - names.length;
  const rest = unnamed > 0 ? `, and ${unnamed} more that search finds` : '';
  return names.length === 0 ? undefined : `${classification} has the tags ${names.join(', ')}${rest}`;
};

/** Reads the record of the first type that has the name. Throws not_found with similar names. */
const findOneOf = async (context: ToolContext, types: readonly string[], name: string) => {
  for (const type of types) {
    const path = context.paths.get(type) ?? '';
    const record = await context.api.readIfPresent({ path: assetPath(path, name) });
    if (record) return { type, record };
  }
  const siblings = types.includes('tag') ? await suggestTags(context, name) : undefined;
  throw recordNotFound(types.join(' or '), name, siblings ?? (await suggestAssetNames(context, name, types)));
};

const tag = defineTool({
  name: 'tag',
  title: 'Tag an asset',
  description:
    'Marks an asset or one of its columns with a tag, such as PII.Sensitive, or a glossary term, and keeps the others. Shows the tags before and after unless dryRun is false.',
  writes: true,
  answers: proposalAnswers(partFacts, v.string()),
  schema: v.strictObject({
    fqn: assetName,
    type: assetType,
    column,
    tag: nameArgument('Fully qualified name of the tag or glossary term, for example PII.Sensitive'),
    ...writeArguments,
  }),
  run: async (context, input) => {
    const state = await readAssetState(context, input, 'tags');
    const part = findPart(state, input.column);
    const types = TAG_KINDS.map(([type]) => type);
    const { type, record } = await findOneOf(context, types, input.tag);
    const name = String(record['fullyQualifiedName']);
    const source = TAG_KINDS.find(([kind]) => kind === type)?.[1] ?? 'Classification';
    const before = rowsOf(part.value['tags']).map(({ tagFQN }) => String(tagFQN));
    const label = { tagFQN: name, source, labelType: 'Generated', state: 'Confirmed' };
    return answerProposal(
      {
        facts: {
          type: state.asset.type,
          fqn: state.asset.fqn,
          ...(part.name === undefined ? {} : { column: part.name }),
        },
        before,
        after: [...new Set([...before, name])].sort(),
        isSame: before.includes(name),
        revision: state.revision,
        send: (dryRun) =>
          patchAsset(context, state, [{ op: 'add', path: `${part.pointer}/tags/-`, value: label }], dryRun),
      },
      input,
    );
  },
});

const toOwner = ({ type, record }: { readonly type: string; readonly record: JsonObject }): JsonObject => ({
  id: record['id'] ?? '',
  type,
  name: record['name'] ?? '',
});

const describeOwner = ({ type, name, inherited }: JsonObject): JsonObject => ({
  type: type ?? '',
  name: name ?? '',
  ...(inherited === true ? { inherited } : {}),
});

const ownerRow = v.strictObject({ type: v.string(), name: v.string(), inherited: v.optional(v.boolean()) });

const assign = defineTool({
  name: 'assign',
  title: 'Assign an owner',
  description:
    'Makes a person or team the owner of an asset. Shows the owners before and after unless dryRun is false. An asset is owned by people or by one team, not both.',
  writes: true,
  answers: proposalAnswers({ ...assetFacts, mode: v.string() }, ownerRow),
  schema: v.strictObject({
    fqn: assetName,
    type: assetType,
    owner: nameArgument('Name of the user or team'),
    ownerType: v.optional(choiceArgument('Type of the owner; a user before a team by default', ['user', 'team'])),
    mode: choiceArgument('Whether the present owners stay (add) or go (replace); inherited ones end either way', [
      'add',
      'replace',
    ]),
    ...writeArguments,
  }),
  run: async (context, { owner, ownerType, mode, ...input }) => {
    const state = await readAssetState(context, input, 'owners');
    const types = ownerType === undefined ? ['user', 'team'] : [ownerType];
    const added = toOwner(await findOneOf(context, types, owner));
    const present = rowsOf(state.record['owners']);
    const own = present.filter(({ inherited }) => inherited !== true);
    const others = own.filter(({ id }) => id !== added['id']);
    const after = mode === 'add' ? [...others, added] : [added];
    const references = after.map(({ id, type }) => ({ id: id ?? '', type: type ?? '' }));
    return answerProposal(
      {
        facts: { type: state.asset.type, fqn: state.asset.fqn, mode },
        before: present.map(describeOwner),
        after: after.map(describeOwner),
        isSame: after.length === own.length && others.length === own.length - 1,
        revision: state.revision,
        send: (dryRun) => patchAsset(context, state, [{ op: 'add', path: '/owners', value: references }], dryRun),
      },
      input,
    );
  },
});

export const WRITING_TOOLS: readonly Tool[] = [describe, tag, assign, addEdge];
