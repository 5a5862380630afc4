import * as v from 'valibot';
import { badRequest, CatalogError } from '../errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { parseDateTime } from '../model/time.ts';
import { checkType, findAsset, namesOf, refsOf, rowsOf, shortRef } from './assets.ts';
import { type ChangeQuestion, type CollectedChanges, changeRow, collectChanges } from './catalog-changes.ts';
import { findChangeScope } from './change-scope.ts';
import { noteTruncation } from './lineage-graph.ts';
import {
  answerArguments,
  assetFacts,
  assetName,
  assetType,
  choiceArgument,
  defineTool,
  nameArgument,
  refSchema,
  type Tool,
  type ToolContext,
  textArgument,
} from './tool.ts';

/** Tools about changes: what one would break, and which have happened. */

const describeContract = (contract: JsonObject): JsonObject => ({
  fqn: contract['fqn'] ?? '',
  ...(contract['status'] === undefined ? {} : { status: contract['status'] }),
  broken: contract['broken'] ?? [],
  ...(contract['deprecated'] === undefined ? {} : { deprecated: contract['deprecated'] }),
  ...(contract['deprecatedColumns'] === undefined ? {} : { deprecatedColumns: contract['deprecatedColumns'] }),
});

const describeAffected = (row: JsonObject): JsonObject => {
  const owners = namesOf(row['owners']);
  const entity = shortRef(row['entity']) as JsonObject;
  // The row has the name of the asset, so its columns need not repeat it.
  const prefix = `${entity['fqn']}.`;
  const columns = ((row['columns'] ?? []) as readonly string[]).map((name) =>
    name.startsWith(prefix) ? name.slice(prefix.length) : name,
  );
  const tests = namesOf(row['tests']);
  const contracts = rowsOf(row['contracts']).map(describeContract);
  return {
    certainty: row['certainty'] ?? '',
    depth: row['depth'] ?? 0,
    ...entity,
    ...(columns.length > 0 ? { columns } : {}),
    ...(row['tier'] === undefined ? {} : { tier: row['tier'] }),
    ...(owners.length > 0 ? { owners } : {}),
    ...(contracts.length > 0 ? { contracts } : {}),
    ...(tests.length > 0 ? { tests } : {}),
  };
};

const contractRow = v.strictObject({
  fqn: v.string(),
  status: v.optional(v.string()),
  broken: v.array(v.string()),
  deprecated: v.optional(v.boolean()),
  deprecatedColumns: v.optional(v.array(v.string())),
});

const affectedRow = v.strictObject({
  certainty: v.string(),
  depth: v.number(),
  ...refSchema.entries,
  columns: v.optional(v.array(v.string())),
  tier: v.optional(v.string()),
  owners: v.optional(v.array(v.string())),
  contracts: v.optional(v.array(contractRow)),
  tests: v.optional(v.array(v.string())),
});

const groupRow = v.strictObject({ key: v.nullable(v.string()), count: v.number() });

/** How many of the assets that the answer lists are in each group; the list itself says which. */
const describeGroups = (groups: Json | undefined, ids: ReadonlySet<Json | undefined>): JsonObject[] =>
  rowsOf(groups).flatMap(({ key = null, ids: members }) => {
    const count = (members as readonly string[]).filter((id) => ids.has(id)).length;
    return count === 0 ? [] : [{ key, count }];
  });

const impact = defineTool({
  name: 'impact',
  title: 'Get the impact of a change',
  description:
    'Tells what may break downstream when an asset or one column is dropped, renamed or retyped: the affected dashboards and other assets, the worst first, with owners, contracts and tests.',
  schema: v.strictObject({
    fqn: assetName,
    type: assetType,
    column: v.optional(nameArgument('Name of the changed column; the whole asset by default')),
    change: v.optional(choiceArgument('Type of the change', ['drop', 'rename', 'retype']), 'drop'),
    only: v.optional(nameArgument('Entity type of the affected assets to answer, for example dashboard')),
    groupBy: v.optional(
      choiceArgument('What to count the affected assets by; ask with list=groups for the numbers alone', [
        'type',
        'owner',
        'service',
        'domain',
      ]),
    ),
    ...answerArguments,
  }),
  answers: {
    facts: {
      ...assetFacts,
      change: v.string(),
      column: v.optional(v.string()),
      only: v.optional(v.string()),
      summary: v.looseObject({}),
      truncated: v.boolean(),
      note: v.optional(v.string()),
    },
    lists: { groups: groupRow, contracts: contractRow, affected: affectedRow },
  },
  run: async (context, { column, change, only, groupBy, ...input }) => {
    if (only !== undefined) checkType(context, only);
    const asset = await findAsset(context, input.fqn, input.type);
    const { type: entityType, fqn: name } = asset;
    const query = { type: entityType, fqn: name, change, column, groupBy, fields: 'fullyQualifiedName,owners,tier' };
    const { text, headers } = await context.api.read({ path: 'lineage/impact', query });
    const answer = JSON.parse(text) as JsonObject;
    const root = answer['root'] as JsonObject;
    const affected = rowsOf(answer['affected']).filter(
      ({ entity }) => only === undefined || (entity as JsonObject)['type'] === only,
    );
    const ids = new Set(affected.map(({ entity }) => (entity as JsonObject)['id']));
    return {
      facts: {
        type: entityType,
        fqn: name,
        change,
        ...(column === undefined ? {} : { column }),
        ...(only === undefined ? {} : { only }),
        summary: answer['summary'] ?? {},
        ...noteTruncation(headers, 'ask for one column'),
      },
      lists: [
        ...(groupBy === undefined ? [] : [{ name: 'groups', rows: describeGroups(answer['groups'], ids) }]),
        { name: 'contracts', rows: rowsOf(root['contracts']).map(describeContract) },
        {
          name: 'affected',
          rows: affected.map(describeAffected),
          more: 'ask for one column, or with only=dashboard',
        },
      ],
    };
  },
});

const MAX_PROPOSAL = 60_000;

const parseColumns = (text: string): Json => {
  try {
    const value = JSON.parse(text) as Json;
    const columns = isObject(value) ? value['columns'] : value;
    if (Array.isArray(columns)) return columns;
  } catch (cause) {
    throw badRequest('[proposal is no valid JSON]', cause);
  }
  throw badRequest('[proposal must be a list of columns, or an object with such a list in columns]');
};

/** Recognises the form of a proposal: JSON begins with a bracket, and a contract document names its version. */
const readProposal = (text: string): JsonObject => {
  if (/^\s*[[{]/.test(text)) return { columns: parseColumns(text) };
  return /^apiVersion\s*:/m.test(text) ? { odcs: text } : { ddl: text };
};

const checkChange = defineTool({
  name: 'check_change',
  title: 'Check a proposed change',
  description:
    'Tells which contracts a migration or another proposed change of columns would break, of the asset itself and downstream. Changes nothing.',
  schema: v.strictObject({
    fqn: assetName,
    type: assetType,
    proposal: textArgument(
      'DDL such as ALTER TABLE, or all columns as JSON, or an ODCS document in YAML',
      MAX_PROPOSAL,
    ),
    dialect: v.optional(nameArgument('SQL dialect of DDL; that of the service by default')),
    ...answerArguments,
  }),
  answers: {
    facts: {
      ...assetFacts,
      verdict: v.string(),
      affected: v.number(),
      truncated: v.boolean(),
      note: v.optional(v.string()),
    },
    lists: {
      breaks: v.looseObject({ contract: refSchema, entity: refSchema }),
      changes: v.looseObject({}),
      owners: refSchema,
      tests: refSchema,
    },
  },
  run: async (context, { proposal, dialect, ...input }) => {
    const asset = await findAsset(context, input.fqn, input.type);
    const { text, headers } = await context.api.read({
      method: 'POST',
      path: 'dataContracts/check',
      body: {
        entity: { id: asset.id, type: asset.type },
        proposed: { ...readProposal(proposal), ...(dialect === undefined ? {} : { dialect }) },
      },
    });
    const answer = JSON.parse(text) as JsonObject;
    const affected = (answer['affected'] ?? {}) as JsonObject;
    const more = 'check a smaller change';
    const breaks = rowsOf(answer['breaks']).map(
      (row): JsonObject => ({
        ...row,
        contract: shortRef(row['contract']),
        entity: shortRef(row['entity']),
      }),
    );
    return {
      facts: {
        type: asset.type,
        fqn: asset.fqn,
        verdict: answer['verdict'] ?? '',
        affected: affected['entities'] ?? 0,
        ...noteTruncation(headers, more),
      },
      lists: [
        { name: 'breaks', rows: breaks, more },
        { name: 'changes', rows: [...rowsOf(answer['changes'])], more },
        { name: 'owners', rows: refsOf(affected['owners']), more },
        { name: 'tests', rows: refsOf(affected['tests']), more },
      ],
    };
  },
});

const time = (what: string) => nameArgument(`${what}: a date such as 2026-03-01, a time in ISO 8601, or milliseconds`);

const parseTime = (name: string, text: string): number => {
  const at = /^\d{9,}$/.test(text) ? Number(text) : parseDateTime(text);
  if (at === undefined || !Number.isFinite(at) || at < 0)
    throw badRequest(`[${name} must be a date, an ISO 8601 time or milliseconds]`);
  return at;
};

const NO_CHANGES: CollectedChanges = { rows: [], breaking: 0, isCut: false };

/** Reads changes; undefined when nothing has the name. What is deleted may have changes nevertheless. */
const findChanges = async ({ api }: ToolContext, request: ChangeQuestion): Promise<CollectedChanges | undefined> => {
  try {
    return await collectChanges(api, request);
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'not_found') return undefined;
    throw failure;
  }
};

const changes = defineTool({
  name: 'changes',
  title: 'List changes of a scope',
  description:
    'Lists what changed since a time, or between two, in an asset and in everything below it: columns, lineage, owners, tags, domains, contracts, tests, descriptions, and what was created, renamed or deleted. Breaking changes come first, then the newest, each with who did it and what was there before and after. The scope may be a domain (with those below it), a data product, a team or a user, too: it stands for the assets that are in it, or that are owned, now.',
  schema: v.strictObject({
    scope: nameArgument(
      'Fully qualified name of the asset, for example of a service, schema, domain, data product or team',
    ),
    type: assetType,
    from: time('Begin'),
    to: v.optional(time('End; now by default')),
    ...answerArguments,
  }),
  answers: {
    facts: {
      scope: v.string(),
      assets: v.optional(v.number()),
      found: v.number(),
      breaking: v.number(),
      incomplete: v.optional(v.string()),
      note: v.optional(v.string()),
    },
    lists: { changes: changeRow },
  },
  run: async (context, input) => {
    const from = parseTime('from', input.from);
    const to = input.to === undefined ? context.now : parseTime('to', input.to);
    if (to < from) throw badRequest('[to must not be before from]');
    const { fqn, includes, facts, missing } = await findChangeScope(context, input.scope, input.type);
    const found = await findChanges(context, { scope: fqn, from, to, isWanted: includes });
    const { rows, breaking, isCut } = found ?? NO_CHANGES;
    if (rows.length === 0 && missing !== undefined) throw missing;
    return {
      facts: {
        scope: input.scope,
        ...facts,
        found: rows.length,
        breaking,
        ...(isCut ? { incomplete: 'not all changes were read; ask for a shorter time or a smaller scope' } : {}),
      },
      lists: [{ name: 'changes', rows, more: 'ask for a shorter time or a smaller scope' }],
    };
  },
});

export const CHANGE_TOOLS: readonly Tool[] = [impact, checkChange, changes];
